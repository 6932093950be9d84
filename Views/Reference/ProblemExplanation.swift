/// What a type of problem document means.
package struct ProblemExplanation: Sendable {
    let name: String
    let href: String
    let status: Int
    let title: String
    let explanation: String
    /// The kinds of errors in a body.
    let faults: [Fault]

    package struct Fault: Sendable {
        let name: String
        let summary: String

        package init(name: String, summary: String) {
            self.name = name
            self.summary = summary
        }
    }

    package init(
        name: String, href: String, status: Int, title: String, explanation: String,
        faults: [Fault] = []
    ) {
        self.name = name
        self.href = href
        self.status = status
        self.title = title
        self.explanation = explanation
        self.faults = faults
    }
}

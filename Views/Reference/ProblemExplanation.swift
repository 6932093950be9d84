/// What a type of problem document means.
package struct ProblemExplanation: Sendable {
    let name: String
    let href: String
    let status: Int
    let title: String
    let explanation: String

    package init(name: String, href: String, status: Int, title: String, explanation: String) {
        self.name = name
        self.href = href
        self.status = status
        self.title = title
        self.explanation = explanation
    }
}

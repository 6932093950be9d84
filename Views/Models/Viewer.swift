/// The signed-in user, as every page shows them.
package struct Viewer: Sendable {
    let person: Person
    /// The token for the form that signs out.
    let token: String

    /// Whether they see the way to the reports.
    let isModerator: Bool

    package init(_ person: Person, token: String, isModerator: Bool = false) {
        self.person = person
        self.token = token
        self.isModerator = isModerator
    }
}

/// The signed-in user, as every page shows them.
package struct AccountMenu: Sendable {
    let person: Person
    /// The token for the form that signs out.
    let token: String

    /// Whether they see the way to the reports.
    let isModerator: Bool

    /// Whether something is new for them that they haven't seen on the home page.
    package var hasNews: Bool

    package init(
        _ person: Person, token: String, isModerator: Bool = false, hasNews: Bool = false
    ) {
        self.person = person
        self.token = token
        self.isModerator = isModerator
        self.hasNews = hasNews
    }
}

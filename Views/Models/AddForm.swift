/// The form that adds a game to the visitor's list.
package struct AddForm: Sendable {
    let token: String
    /// Why the form was rejected.
    let problem: String?
    /// Whether to offer replacing another game, on the page that edits the list.
    let offersSwap: Bool
    /// Only the platforms that the game is on.
    let platforms: [Choice]
    let comment: String

    package init(
        token: String, problem: String?, offersSwap: Bool, platforms: [Choice], comment: String
    ) {
        self.token = token
        self.problem = problem
        self.offersSwap = offersSwap
        self.platforms = platforms
        self.comment = comment
    }
}

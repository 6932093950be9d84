/// The form that puts a game on the visitor's list.
package struct AddForm: Sendable {
    let token: String
    /// Why it was not taken.
    let problem: String?
    /// Whether room can be made for the game on the page that edits the list.
    let offersSwap: Bool
    /// Only those that the game is on.
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

import FaveGames

/// How a game has moved in its ranking since last week.
struct MovementMark: Sendable {
    /// An arrow with the number of places, or "New". `text` says what it means.
    let mark: String
    let text: String
    /// The CSS class of the mark.
    let kind: String

    /// - Returns: `nil` if the game has not moved.
    init?(_ movement: Movement) {
        switch movement {
        case .same: return nil
        case .new: (mark, text, kind) = ("New", "New since last week", "up")
        case .up(let places):
            (mark, kind) = ("▲\u{202F}\(places)", "up")
            text = "Up \(places) place\(places == 1 ? "" : "s") since last week"
        case .down(let places):
            (mark, kind) = ("▼\u{202F}\(places)", "down")
            text = "Down \(places) place\(places == 1 ? "" : "s") since last week"
        }
    }
}

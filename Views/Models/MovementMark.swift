import FaveGames

/// How a game has moved in its ranking since last week.
struct MovementMark: Sendable {
    /// An arrow, with how many places; what it means is `text`.
    let mark: String
    let text: String
    /// The name of its class.
    let kind: String

    /// - Returns: `nil` if it has not moved.
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

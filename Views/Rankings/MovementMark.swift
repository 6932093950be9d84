import FaveGames

/// How a game has moved in its ranking, or on a snapshot.
struct MovementMark: Sendable {
    /// An arrow with the number of places, or "New". `text` says what it means.
    let mark: String
    let text: String
    /// The CSS class of the mark.
    let kind: String

    /// - Parameter time: Since when.
    /// - Returns: `nil` if the game has not moved.
    init?(_ movement: Movement, since time: String = "last week") {
        switch movement {
        case .same: return nil
        case .new: (mark, text, kind) = ("New", "New since \(time)", "up")
        case .up(let places):
            (mark, kind) = ("▲\u{202F}\(places)", "up")
            text = "Up \(places) place\(places == 1 ? "" : "s") since \(time)"
        case .down(let places):
            (mark, kind) = ("▼\u{202F}\(places)", "down")
            text = "Down \(places) place\(places == 1 ? "" : "s") since \(time)"
        }
    }
}

import FaveGames
import Languages

/// How a game has moved in its ranking, or on a snapshot.
struct MovementMark: Sendable {
    /// An arrow with the number of places, or "New". `text` says what it means.
    let mark: Words
    let text: Words
    /// The CSS class of the mark.
    let kind: String

    /// - Parameter time: Since when.
    /// - Returns: `nil` if the game has not moved.
    init?(_ movement: Movement, since time: Words = .lastWeek) {
        switch movement {
        case .same: return nil
        case .new: (mark, text, kind) = (.new, .new(since: time), "up")
        case .up(let places):
            (mark, kind) = (Words(name: "▲\u{202F}\(places)"), "up")
            text = .up(places, since: time)
        case .down(let places):
            (mark, kind) = (Words(name: "▼\u{202F}\(places)"), "down")
            text = .down(places, since: time)
        }
    }
}

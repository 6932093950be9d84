import FaveGames
import Languages

/// How a game has moved in its ranking, or on a snapshot.
struct MovementMark: Sendable {
    /// An arrow with the number of places, or "New". `text` says what it means.
    let mark: Words
    let text: Words
    /// The CSS class of the mark.
    let kind: String

    /// - Parameter snapshot: Since when; `nil` for last week.
    /// - Returns: `nil` if the game has not moved.
    init?(_ movement: Movement, since snapshot: String? = nil) {
        switch movement {
        case .same: return nil
        case .new:
            (mark, text, kind) =
                (.new, snapshot.map { .new(since: $0) } ?? .newSinceLastWeek, "up")
        case .up(let places):
            (mark, kind) = (Words(name: "▲\u{202F}\(places)"), "up")
            text = snapshot.map { .up(places, since: $0) } ?? .upSinceLastWeek(places)
        case .down(let places):
            (mark, kind) = (Words(name: "▼\u{202F}\(places)"), "down")
            text = snapshot.map { .down(places, since: $0) } ?? .downSinceLastWeek(places)
        }
    }
}

public import Foundation

/// The result of giving a heart.
public enum HeartOutcome: Hashable, Sendable {
    case given
    /// There is no such comment on a public list.
    case gone
    /// The comment is the user's own.
    case own
    /// The entry has changed since the user saw it.
    case changed
}

/// A heart, as its giver sees it.
public struct GivenHeart: Sendable {
    public let givenAt: Date
    /// The entry with the comment, its game, and its owner; `nil` while the list isn't public.
    public let entryID: UUID?
    public let game: Game?
    public let username: String?

    public init(givenAt: Date, entryID: UUID?, game: Game?, username: String?) {
        self.givenAt = givenAt
        self.entryID = entryID
        self.game = game
        self.username = username
    }
}

public import Foundation

/// The conditions of a search among everyone's entries. An entry must meet all given conditions.
public struct EntryFilter: Hashable, Sendable {
    public var platformID: Int?
    /// The entry's game must be one of these; at most `maximumGames`.
    public var gameIDs: [Int]?
    public var userID: UUID?
    public var tag: Tag?
    public var rating: Rating?
    /// Words that the comment must contain, in any order.
    public var search: SearchText?
    /// Whether entries without a comment are left out.
    public var hasComment = false

    public init() {}

    /// Limited because each game's entries are read separately.
    public static let maximumGames = 20
}

/// A page of entries, the latest first.
public struct EntryPage: Sendable {
    public let entries: [FoundEntry]
    /// Where the next page begins; `nil` on the last page.
    public let next: InclusionCursor?
    /// Where the previous page ends; `nil` on the first page.
    public let previous: InclusionCursor?

    public init(entries: [FoundEntry], next: InclusionCursor?, previous: InclusionCursor? = nil) {
        self.entries = entries
        self.next = next
        self.previous = previous
    }
}

/// Someone's entry with its game.
public struct FoundEntry: Hashable, Sendable {
    public let game: Game
    public let inclusion: Inclusion

    public init(game: Game, inclusion: Inclusion) {
        self.game = game
        self.inclusion = inclusion
    }
}

/// A list that shares games with another list.
public struct SimilarList: Sendable {
    public let list: ListSummary
    /// The games that both have, and the other games of this list.
    public let taste: SharedTaste

    public init(list: ListSummary, taste: SharedTaste) {
        self.list = list
        self.taste = taste
    }
}

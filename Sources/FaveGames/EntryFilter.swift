import Foundation

/// What is looked for among everyone's entries. All that is given must hold.
public struct EntryFilter: Hashable, Sendable {
    public var platformID: Int?
    /// One of these; at most `maximumGames`.
    public var gameIDs: [Int]?
    public var userID: UUID?
    public var tag: Tag?
    public var rating: Rating?
    /// Words that the comment has, in any order.
    public var search: SearchText?

    public init() {}

    /// Each one's entries are read by themselves.
    public static let maximumGames = 20
}

/// A page of entries, the latest first.
public struct EntryPage: Sendable {
    public let entries: [FoundEntry]
    /// Where the next page begins; `nil` on the last.
    public let next: InclusionCursor?
    /// Where the page before ends; `nil` on the first.
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

/// Someone's list, and the games that it shares with another.
public struct KindredList: Sendable {
    public let list: ListSummary
    public let shared: [Game]

    public init(list: ListSummary, shared: [Game]) {
        self.list = list
        self.shared = shared
    }
}

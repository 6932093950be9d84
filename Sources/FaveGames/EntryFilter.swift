import Foundation

/// What is looked for among everyone's entries. All that is given must hold.
public struct EntryFilter: Hashable, Sendable {
    public var platformID: Int?
    public var gameID: Int?
    public var userID: UUID?
    public var tag: Tag?
    public var rating: Rating?
    /// Words that the comment has, in any order.
    public var search: SearchText?

    public init() {}
}

/// A page of entries, the latest first.
public struct EntryPage: Sendable {
    public let entries: [FoundEntry]
    /// Where the next page begins; `nil` on the last.
    public let next: InclusionCursor?

    public init(entries: [FoundEntry], next: InclusionCursor?) {
        self.entries = entries
        self.next = next
    }
}

/// Somebody's entry with its game.
public struct FoundEntry: Hashable, Sendable {
    public let game: Game
    public let inclusion: Inclusion

    public init(game: Game, inclusion: Inclusion) {
        self.game = game
        self.inclusion = inclusion
    }
}

/// Somebody's list, and the games that it shares with another.
public struct KindredList: Sendable {
    public let list: FaveList
    public let shared: [Game]

    public init(list: FaveList, shared: [Game]) {
        self.list = list
        self.shared = shared
    }
}

public import Foundation

/// Someone's ordered favourites: at most five entries, at positions 1…n.
public struct FaveList: Hashable, Sendable {
    public static let limit = 5

    public let owner: User
    /// In the order of their positions. Where others see the list, entries with hidden games are
    /// missing.
    public let entries: [Entry]
    /// The number of times that the list has changed.
    public let version: Int

    public init(owner: User, entries: [Entry], version: Int = 0) {
        self.owner = owner
        self.entries = entries
        self.version = version
    }

    /// The list as its owner sees it.
    ///
    /// - Parameter hidden: The entries that only the owner sees.
    public func including(_ hidden: [Entry]) -> FaveList {
        let ids = Set(hidden.map(\.id))
        return FaveList(
            owner: owner,
            entries: (entries.filter { !ids.contains($0.id) } + hidden)
                .sorted { $0.position < $1.position }, version: version)
    }
}

/// A list in short: its owner and its games.
public struct ListSummary: Hashable, Sendable {
    public let owner: User
    /// In the order of their positions.
    public let games: [Game]

    public init(owner: User, games: [Game]) {
        self.owner = owner
        self.games = games
    }
}

/// A page of lists. The latest changes come first.
public struct RecentLists: Sendable {
    public let lists: [ListSummary]
    /// Where the next page begins; `nil` on the last page.
    public let next: InclusionCursor?
    /// Where the previous page ends; `nil` on the first page.
    public let previous: InclusionCursor?

    public init(lists: [ListSummary], next: InclusionCursor?, previous: InclusionCursor?) {
        self.lists = lists
        self.next = next
        self.previous = previous
    }
}

/// One place on a list.
public struct Entry: Hashable, Sendable {
    public let id: UUID
    /// From 1 to 5.
    public let position: Int
    public let game: Game
    public let platform: Platform
    /// Empty if the owner gave none.
    public let comment: String
    public let rating: Rating?
    public let tags: [String]
    /// How many lists include the game for the platform, counting this one if its owner lets it be
    /// counted.
    public let includedBy: Int
    public let createdAt: Date
    public let updatedAt: Date

    public init(
        id: UUID, position: Int, game: Game, platform: Platform, comment: String,
        rating: Rating? = nil, tags: [String] = [], includedBy: Int, createdAt: Date,
        updatedAt: Date
    ) {
        self.id = id
        self.position = position
        self.game = game
        self.platform = platform
        self.comment = comment
        self.rating = rating
        self.tags = tags
        self.includedBy = includedBy
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

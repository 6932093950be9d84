public import Foundation

/// A page of everyone's entries for one game on one platform, the latest first.
public struct Inclusions: Sendable {
    public let entries: [Inclusion]
    /// Where the next page begins; `nil` on the last page.
    public let next: InclusionCursor?
    /// Where the previous page ends; `nil` on the first page.
    public let previous: InclusionCursor?

    public init(entries: [Inclusion], next: InclusionCursor?, previous: InclusionCursor? = nil) {
        self.entries = entries
        self.next = next
        self.previous = previous
    }
}

/// Someone's entry for a game, without the game itself.
public struct Inclusion: Hashable, Sendable {
    public let id: UUID
    public let userID: UUID
    public let username: String
    public let displayName: String
    public let position: Int
    public let platform: Platform
    public let comment: String
    public let rating: Rating?
    public let tags: [String]
    /// How many people say “me too” to the comment.
    public let hearts: Int
    public let createdAt: Date
    public let updatedAt: Date

    public init(
        id: UUID, userID: UUID, username: String, displayName: String, position: Int,
        platform: Platform, comment: String, rating: Rating? = nil, tags: [String] = [],
        hearts: Int = 0,
        createdAt: Date, updatedAt: Date
    ) {
        self.id = id
        self.userID = userID
        self.username = username
        self.displayName = displayName
        self.position = position
        self.platform = platform
        self.comment = comment
        self.rating = rating
        self.tags = tags
        self.hearts = hearts
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// The entry that a page comes after or before: the last or the first entry of the page beside it.
public struct InclusionCursor: Hashable, Sendable {
    public let direction: PageDirection
    /// Microseconds since 1970, the precision of PostgreSQL's clock.
    public let createdAt: Int
    public let id: UUID

    public init(_ direction: PageDirection = .after, createdAt: Int, id: UUID) {
        self.direction = direction
        self.createdAt = createdAt
        self.id = id
    }

    /// The cursor that leads back from a page that turned out to be empty. The page it leads to
    /// includes this cursor's own entry.
    public var reversed: InclusionCursor {
        switch direction {
        case .after: InclusionCursor(.before, createdAt: createdAt - 1, id: .last)
        case .before: InclusionCursor(.after, createdAt: createdAt + 1, id: .first)
        }
    }
}

/// The rank of a game on one of its platforms.
public struct GameStanding: Sendable {
    public let platform: Platform
    public let includedBy: Int
    /// `nil` while no list includes the game on the platform, and after `Ranking.countedRanks`.
    public let rank: Int?
    /// Whether another game has the same rank.
    public let isTied: Bool
    /// The count of the platform's first game, for comparison.
    public let highestCount: Int

    public init(
        platform: Platform, includedBy: Int, rank: Int?, isTied: Bool, highestCount: Int
    ) {
        self.platform = platform
        self.includedBy = includedBy
        self.rank = rank
        self.isTied = isTied
        self.highestCount = highestCount
    }
}

/// A platform with the first games of its ranking.
public struct PlatformTop: Sendable {
    public let platform: Platform
    public let games: [RankedGame]

    public init(platform: Platform, games: [RankedGame]) {
        self.platform = platform
        self.games = games
    }
}

/// A game as a search finds it.
public struct FoundGame: Sendable {
    public let game: Game
    public let kind: GameKind
    public let platforms: [Platform]
    /// The further name that a search found it by, such as one in another language; `nil` if it was
    /// found by its main name, or not by a name.
    public let foundName: String?

    public init(
        game: Game, kind: GameKind = .main, platforms: [Platform], foundName: String? = nil
    ) {
        self.game = game
        self.kind = kind
        self.platforms = platforms
        self.foundName = foundName
    }
}

extension UUID {
    /// Comes before all others in PostgreSQL's order.
    public static let first = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    public static let last = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
}

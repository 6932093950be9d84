public import Foundation

/// A page of a platform's games, ordered by how many lists include them.
public struct Ranking: Sendable {
    public let games: [RankedGame]
    /// Where the next page begins; `nil` on the last page.
    public let next: RankingCursor?
    /// Where the previous page ends; `nil` on the first page.
    public let previous: RankingCursor?

    public init(games: [RankedGame], next: RankingCursor?, previous: RankingCursor? = nil) {
        self.games = games
        self.next = next
        self.previous = previous
    }

    public static let pageSizes = 1...100
    public static let defaultPageSize = 20
    public static let quoteLimits = 0...5
    public static let defaultQuotes = 3
    /// The last rank that is found by counting the games above. What a rank costs must not grow with
    /// the number of games.
    public static let countedRanks = 1000
}

/// A game's place in the ranking of one platform.
public struct RankedGame: Sendable {
    public let game: Game
    /// Equal counts share a rank: 1, 1, 3.
    public let rank: Int
    /// How many lists include the game for the platform.
    public let includedBy: Int
    /// Some comments: those that enough people agree with, and then the latest.
    public var quotes: [Quote]

    public init(game: Game, rank: Int, includedBy: Int, quotes: [Quote] = []) {
        self.game = game
        self.rank = rank
        self.includedBy = includedBy
        self.quotes = quotes
    }
}

/// Someone's comment about a game on their list.
public struct Quote: Hashable, Sendable {
    public let userID: UUID
    public let username: String
    public let displayName: String
    public let comment: String

    public init(userID: UUID, username: String, displayName: String, comment: String) {
        self.userID = userID
        self.username = username
        self.displayName = displayName
        self.comment = comment
    }
}

/// The game that a page comes after or before: the last or the first game of the page beside it.
/// The cursor holds the keyset of the ranking's order, and the rank and position where the next
/// page continues.
public struct RankingCursor: Hashable, Sendable {
    public let direction: PageDirection
    public let platformID: Int
    public let includedBy: Int
    public let sortName: String
    public let gameID: Int
    public let rank: Int
    /// The game's place among all games of the ranking, from 1.
    public let position: Int

    public init(
        _ direction: PageDirection = .after, platformID: Int, includedBy: Int, sortName: String,
        gameID: Int,
        rank: Int, position: Int
    ) {
        self.direction = direction
        self.platformID = platformID
        self.includedBy = includedBy
        self.sortName = sortName
        self.gameID = gameID
        self.rank = rank
        self.position = position
    }
}

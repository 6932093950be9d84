/// A game that people love who also love another one.
public struct RelatedGame: Sendable {
    public let game: Game
    /// How many of the lists that were looked at include both.
    public let sharedLists: Int
    /// How many lists include the game, on any platform.
    public let includedBy: Int

    public init(game: Game, sharedLists: Int, includedBy: Int) {
        self.game = game
        self.sharedLists = sharedLists
        self.includedBy = includedBy
    }

    /// How many of the latest lists that include a game are looked at.
    public static let listsLookedAt = 250
    /// A game that shares fewer lists than this may do so by chance.
    public static let leastSharedLists = 2
    /// How many of the games that share the most lists are compared.
    public static let compared = 60

    /// The closest ones first. A game that is on very many lists shares some with every other game.
    /// So what counts is how many are shared for the root of how many there are, which is the cosine
    /// similarity of the two games' lists, except for a factor that is the same for all.
    public static func ranked(_ games: [RelatedGame]) -> [RelatedGame] {
        games.sorted { a, b in
            a.closeness == b.closeness
                ? (a.sharedLists, b.game.id) > (b.sharedLists, a.game.id)
                : a.closeness > b.closeness
        }
    }

    private var closeness: Double {
        // The counts may be older than the lists by a moment.
        Double(sharedLists) / Double(max(includedBy, sharedLists)).squareRoot()
    }
}

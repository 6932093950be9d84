/// How a game has moved in a ranking since last week.
public enum Movement: Hashable, Sendable {
    case same
    /// By this many places.
    case up(Int)
    case down(Int)
    /// No earlier rank of the game was stored.
    case new

    /// - Parameter past: The game's earlier rank; `nil` if none was stored.
    public init(from past: Int?, to rank: Int) {
        guard let past else {
            self = .new
            return
        }
        self = past == rank ? .same : past > rank ? .up(past - rank) : .down(rank - past)
    }

    /// The number of games of each platform whose ranks are stored.
    public static let storedRanks = 100
}

/// The ranks of a platform's first games on an earlier day.
public struct PastRanks: Hashable, Sendable {
    /// The games, and the rank of each at the same place. A page asks for a few of them.
    private let games: [Int]
    private let ranks: [Int]
    /// The lowest rank that was noted; `.max` if fewer than `Movement.storedRanks` games were noted.
    private let last: Int

    /// - Parameters:
    ///   - games: The ids of at most `Movement.storedRanks` games.
    ///   - ranks: As many, in the same order.
    public init(games: [Int], ranks: [Int]) {
        precondition(games.count == ranks.count, "each game has a rank")
        self.games = games
        self.ranks = ranks
        last = ranks.count < Movement.storedRanks ? .max : ranks.max() ?? .max
    }

    /// Nothing is known of an earlier day.
    public static let none = PastRanks(games: [], ranks: [])

    /// How a game has moved since that day.
    ///
    /// - Parameter rank: Its rank today.
    /// - Returns: `nil` if the movement is unknown. A game that was not noted ranked no higher than
    ///   the last game that was noted; nothing else is known about it.
    public func movement(of game: Int, to rank: Int) -> Movement? {
        guard !ranks.isEmpty, rank <= Movement.storedRanks else { return nil }
        let past = games.firstIndex(of: game).map { ranks[$0] }
        guard past != nil || rank < last else { return nil }
        return Movement(from: past, to: rank)
    }
}

/// How a game has moved in a ranking since a week ago.
public enum Movement: Hashable, Sendable {
    case same
    /// So many places.
    case up(Int)
    case down(Int)
    /// It was not among those that are remembered.
    case new

    /// - Parameter past: The rank then; `nil` if there was none.
    public init(from past: Int?, to rank: Int) {
        guard let past else {
            self = .new
            return
        }
        self = past == rank ? .same : past > rank ? .up(past - rank) : .down(rank - past)
    }

    /// How many games of each platform are remembered.
    public static let remembered = 100
}

/// The first games of a platform on an earlier day.
public struct PastRanks: Hashable, Sendable {
    private let ranks: [Int: Int]
    /// The lowest rank noted; `.max` if fewer than `Movement.remembered` games were.
    private let last: Int

    /// - Parameter ranks: By the games' ids; at most `Movement.remembered` of them.
    public init(_ ranks: [Int: Int]) {
        self.ranks = ranks
        last = ranks.count < Movement.remembered ? .max : ranks.values.max() ?? .max
    }

    /// How a game has moved since.
    ///
    /// - Parameter rank: Its rank today.
    /// - Returns: `nil` if that is not known. All that is known of a game that was not noted is
    ///   that it ranked no higher than the last one that was.
    public func movement(of game: Int, to rank: Int) -> Movement? {
        guard !ranks.isEmpty, rank <= Movement.remembered else { return nil }
        let past = ranks[game]
        guard past != nil || rank < last else { return nil }
        return Movement(from: past, to: rank)
    }
}

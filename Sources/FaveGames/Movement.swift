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

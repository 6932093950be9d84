import Synchronization

/// Counts the connections of all loops, bounds them, and says which loop has the fewest.
/// Any thread may use it.
final class ConnectionBalance: Sendable {
    enum Decision {
        /// Counted for this loop.
        case serve(Int)
        /// Counted for this loop, to be told that there are too many.
        case refuse(Int)
        /// Not counted: not even telling is possible.
        case drop
    }

    private let counts: Mutex<[Int]>
    private let limit: Int
    /// Clients that are being told, at once.
    private static let refusals = 256

    init(loops: Int, limit: Int) {
        counts = Mutex(Array(repeating: 0, count: loops))
        self.limit = limit
    }

    /// - Parameter own: The loop that accepted; it keeps the connection unless another has fewer.
    func add(preferring own: Int) -> Decision {
        counts.withLock { counts in
            let total = counts.reduce(0, +)
            guard total < limit + Self.refusals else { return .drop }
            var best = own
            for index in counts.indices where counts[index] < counts[best] { best = index }
            counts[best] += 1
            return total < limit ? .serve(best) : .refuse(best)
        }
    }

    func remove(from index: Int) {
        counts.withLock { $0[index] -= 1 }
    }

    var total: Int { counts.withLock { $0.reduce(0, +) } }
}

import Sockets
import Synchronization

/// Counts the connections of all loops, limits them, and chooses the loop that has the fewest. Any
/// thread may use it.
final class ConnectionBalance: Sendable {
    enum Decision: Equatable {
        /// Counted for this loop, which serves it.
        case serve(Int)
        /// Not counted, because all loops together have as many as they may.
        case full
        /// Not counted, because its owner has as many as it may.
        case ownerIsFull
    }

    private struct Counts {
        var loops: [Int]
        var owners: [IPNetwork: Int] = [:]
    }

    private let counts: Mutex<Counts>
    private let limit: Int
    private let limitPerOwner: Int

    init(loops: Int, limit: Int, limitPerOwner: Int) {
        counts = Mutex(Counts(loops: Array(repeating: 0, count: loops)))
        self.limit = limit
        self.limitPerOwner = limitPerOwner
    }

    /// - Parameters:
    ///   - own: The loop that accepted the connection. It serves the connection unless another loop
    ///     has fewer connections.
    ///   - owner: The network that the connection counts towards; `nil` for none.
    func add(preferring own: Int, of owner: IPNetwork?) -> Decision {
        counts.withLock { counts in
            let owned = owner.flatMap { counts.owners[$0] } ?? 0
            guard owned < limitPerOwner else { return .ownerIsFull }
            guard counts.loops.reduce(0, +) < limit else { return .full }
            var best = own
            for index in counts.loops.indices where counts.loops[index] < counts.loops[best] {
                best = index
            }
            counts.loops[best] += 1
            if let owner { counts.owners[owner] = owned + 1 }
            return .serve(best)
        }
    }

    func remove(from index: Int, of owner: IPNetwork?) {
        counts.withLock { counts in
            counts.loops[index] -= 1
            guard let owner, let count = counts.owners[owner] else { return }
            counts.owners[owner] = count > 1 ? count - 1 : nil
        }
    }

    var total: Int { counts.withLock { $0.loops.reduce(0, +) } }
}

import Sockets
import Synchronization

/// Counts the connections of all loops, limits them, and chooses the loop that has the fewest. Any
/// thread may use it.
final class ConnectionBalance: Sendable {
    enum Decision: Equatable {
        /// Counted for this loop, which serves it.
        case serve(Int)
        /// Over the limit, but accepted: the loop closes an idle connection to make room for this
        /// one, or sends this one a 503.
        case squeeze(Int)
        /// Over its owner's limit, but accepted so that it can be sent a 429.
        case refuse(Int)
        /// Neither counted nor answered, because too many connections are being refused already.
        case drop
    }

    private struct Counts {
        var loops: [Int]
        var owners: [IPNetwork: Int] = [:]
    }

    private let counts: Mutex<Counts>
    private let limit: Int
    private let limitPerOwner: Int
    /// How many connections may be open at once that are only sent a refusal.
    private let refusals: Int

    /// The most descriptors that connections take for a given limit.
    static func descriptors(limit: Int) -> Int { limit + refusals(limit: limit) }

    /// The limit for which connections take at most this many descriptors.
    static func limit(descriptors: Int) -> Int { descriptors - refusals(limit: descriptors) }

    private static func refusals(limit: Int) -> Int { min(256, max(8, limit / 8)) }

    init(loops: Int, limit: Int, limitPerOwner: Int) {
        counts = Mutex(Counts(loops: Array(repeating: 0, count: loops)))
        self.limit = limit
        self.limitPerOwner = limitPerOwner
        refusals = Self.refusals(limit: limit)
    }

    /// - Parameters:
    ///   - own: The loop that accepted the connection. It keeps the connection unless another loop
    ///     has fewer.
    ///   - owner: The network that the connection counts towards; `nil` for none.
    func add(preferring own: Int, of owner: IPNetwork?) -> Decision {
        counts.withLock { counts in
            let total = counts.loops.reduce(0, +)
            let owned = owner.flatMap { counts.owners[$0] } ?? 0
            // A refused connection takes up a place for a moment. No single owner may take up all
            // of them.
            guard total < limit + refusals, owned < limitPerOwner + max(1, refusals / 16) else {
                return .drop
            }
            var best = own
            for index in counts.loops.indices where counts.loops[index] < counts.loops[best] {
                best = index
            }
            counts.loops[best] += 1
            if let owner {
                counts.owners[owner] = owned + 1
                guard owned < limitPerOwner else { return .refuse(best) }
            }
            return total < limit ? .serve(best) : .squeeze(best)
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

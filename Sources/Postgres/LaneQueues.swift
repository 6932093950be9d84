import DequeModule
import Sockets

/// The queries and transactions that wait for a connection, by lane, in the order of service.
struct LaneQueues {
    enum Waiter {
        case query(SharedQuery)
        case lease(PendingLease, Wait)

        /// When the wait would have started if it had had no pauses.
        var start: MonotonicTime {
            switch self {
            case .query(let query): query.wait.start
            case .lease(_, let wait): wait.start
            }
        }
    }

    private var queues = Lane.allCases.map { _ in Deque<Waiter>() }

    var isEmpty: Bool { queues.allSatisfy { $0.isEmpty } }

    func count(in lane: Lane) -> Int { queues[lane.rawValue].count }

    /// When the first wait in the lane started.
    func firstStart(in lane: Lane) -> MonotonicTime? { queues[lane.rawValue].first?.start }

    /// When the longest of all waits started.
    var oldestStart: MonotonicTime? { queues.joined().map(\.start).min() }

    mutating func append(_ waiter: Waiter, in lane: Lane) {
        queues[lane.rawValue].append(waiter)
    }

    /// Puts a query that was already sent before all others.
    mutating func prepend(_ query: SharedQuery) {
        queues[query.leader.lane.rawValue].prepend(.query(query))
    }

    /// Takes the first in the lane if it is a transaction.
    mutating func takeLease(in lane: Lane) -> (PendingLease, Wait)? {
        guard case .lease(let lease, let wait)? = queues[lane.rawValue].first else { return nil }
        queues[lane.rawValue].removeFirst()
        return (lease, wait)
    }

    /// Takes up to `size` queries, which will be sent together. Equal reads that wait together are
    /// sent as one. All of them arrived before it is sent, so what it sees is recent enough for each
    /// of them. No result is cached beyond the batch.
    mutating func takeBatch(
        of size: Int, in lane: Lane, sharesReads: Bool, at now: MonotonicTime
    ) -> [SharedQuery] {
        let count = queues[lane.rawValue].count
        let mayShare = sharesReads && count > 1
        var batch: [SharedQuery] = []
        batch.reserveCapacity(min(count, size))
        var leaders: [PendingQuery.Question: Int] = [:]
        while case .query(var query)? = queues[lane.rawValue].first {
            let question = mayShare ? query.question : nil
            let leader = question.flatMap { leaders[$0] }
            guard leader != nil || batch.count < size else { break }
            queues[lane.rawValue].removeFirst()
            if let leader {
                batch[leader].lead(query)
                continue
            }
            if let question { leaders[question] = batch.count }
            query.willBeSent(at: now)
            batch.append(query)
        }
        return batch
    }

    /// Removes a query.
    ///
    /// - Returns: Whether it was waiting. It may have been sent.
    mutating func remove(_ query: PendingQuery) -> Bool {
        let lane = query.lane.rawValue
        for (index, waiter) in queues[lane].enumerated() {
            guard case .query(let shared) = waiter, shared.contains(query) else { continue }
            if let rest = shared.without(query) {
                queues[lane][index] = .query(rest)
            } else {
                queues[lane].remove(at: index)
            }
            return true
        }
        return false
    }

    /// Removes everything that satisfies the condition.
    mutating func take(where condition: (Waiter) -> Bool) -> [Waiter] {
        var taken: [Waiter] = []
        for lane in queues.indices {
            taken += queues[lane].filter(condition)
            queues[lane].removeAll(where: condition)
        }
        return taken
    }
}

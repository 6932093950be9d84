import Foundation
import Glibc
import Synchronization

/// Threads for jobs that each take as long as hundreds of requests, such as hashing a password,
/// drawing a card or reading a file. So these jobs never block the event loops.
///
/// The threads have a lower priority than the loops where the system allows that (nice 10). As many
/// jobs run at once as there are threads, and a bounded number of jobs waits. Clients take turns,
/// so that no client waits for all the jobs of another.
public final class WorkerPool: Sendable {
    /// The queue or the client's share of it is full, or the pool is closed.
    public struct BusyError: Error, Hashable, Sendable {}

    private struct Job {
        let id: Int
        let run: @Sendable () -> Void
        let cancel: @Sendable () -> Void
    }

    /// The kinds of jobs. Each has its own queue, and the threads serve the queues in turn, so that
    /// a flood of one kind leaves room for the other.
    public enum Kind: CaseIterable, Sendable {
        case password, card, file
    }

    private struct Queue {
        var waiting = FairQueue<String, Job>()
        /// The number of waiting and running jobs, by client.
        var counts: [String: Int] = [:]

        mutating func leave(_ client: String) {
            guard let count = counts[client] else { return }
            counts[client] = count > 1 ? count - 1 : nil
        }
    }

    private struct State {
        var queues: [Kind: Queue] = [:]
        /// The kinds, the next one to be served first.
        var turns = Kind.allCases
        var lastID = 0
        var isClosed = false

        mutating func next() -> Job? {
            for place in turns.indices {
                if let job = queues[turns[place]]?.waiting.popFirst() {
                    turns.append(turns.remove(at: place))
                    return job
                }
            }
            return nil
        }
    }

    private let queueLimit: Int
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - threads: How many jobs run at once.
    ///   - queueLimit: How many jobs of each kind may wait. A single client may have half as many,
    ///     including running ones.
    public init(threads: Int, queueLimit: Int = 64) {
        self.queueLimit = queueLimit
        for number in 0..<threads {
            let thread = Thread { [self] in run() }
            thread.name = "worker \(number)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Ends the threads once no jobs are waiting.
    public func close() {
        state.withLock { $0.isClosed = true }
        work.signal()
    }

    /// The number of waiting jobs.
    public var waitingCount: Int {
        state.withLock { $0.queues.values.reduce(0) { $0 + $1.waiting.count } }
    }

    /// Runs a job on one of the threads.
    ///
    /// - Parameters:
    ///   - client: The client whose turn and whose share of the queue the job uses. If it is empty,
    ///     the client is unknown, and only the queue's own limit applies.
    ///   - isCancellable: Whether a job whose task is cancelled while it waits, or before, is not
    ///     run.
    /// - Throws: `BusyError` if too many jobs wait, `CancellationError`, or any error that the job
    ///   throws.
    public func run<Result: Sendable>(
        _ kind: Kind, for client: String = "", isCancellable: Bool,
        _ job: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { $0.queues[kind]?.leave(client) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job(id: id) {
                    continuation.resume(with: Swift.Result { try job() })
                } cancel: {
                    continuation.resume(throwing: CancellationError())
                }
                enqueue(job, kind, of: client, isCancellable: isCancellable).map {
                    continuation.resume(throwing: $0)
                }
            }
        } onCancel: {
            guard isCancellable else { return }
            state.withLock { $0.queues[kind]?.waiting.remove(of: client) { $0.id == id } }?.cancel()
        }
    }

    /// - Returns: Why the job was rejected; `nil` if it was queued.
    private func enqueue(
        _ job: Job, _ kind: Kind, of client: String, isCancellable: Bool
    ) -> (any Error)? {
        let error: (any Error)? = state.withLock { state in
            var queue = state.queues.removeValue(forKey: kind) ?? Queue()
            defer { state.queues[kind] = queue }
            queue.counts[client, default: 0] += 1
            // This is checked under the lock: the cancellation handler has either run before, or
            // will find the job in the queue.
            if isCancellable, Task.isCancelled { return CancellationError() }
            guard queue.waiting.count < queueLimit, !state.isClosed,
                client.isEmpty || queue.counts[client, default: 0] <= queueLimit / 2
            else { return BusyError() }
            queue.waiting.append(job, for: client)
            return nil
        }
        if error == nil { work.signal() }
        return error
    }

    private func run() {
        // On Linux, 0 means the calling thread, although POSIX says otherwise; see setpriority(2),
        // "C library/kernel differences". A failure does no harm.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        while true {
            work.wait()
            let (job, isClosed) = state.withLock { ($0.next(), $0.isClosed) }
            if let job {
                job.run()
            } else if isClosed {
                // Wakes the next thread, so that it ends, too.
                work.signal()
                return
            }
        }
    }
}

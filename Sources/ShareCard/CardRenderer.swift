import Foundation
import Glibc
import Synchronization

/// Draws cards on threads of its own, away from the event loops: one card takes as long as hundreds
/// of requests.
///
/// The threads yield to the loops where the system lets them (nice 10). Those who ask for the same
/// card while it waits or is drawn get one drawing; a bounded number of drawings waits, and the cards
/// asked for last are kept. All loops share it.
public final class CardRenderer: Sendable {
    /// More cards wait than the bound allows.
    public struct BusyError: Error, Hashable, Sendable {}

    private typealias Waiter = CheckedContinuation<[UInt8], any Error>

    private struct Job {
        let card: ShareCard
        var waiters: [Int: Waiter]
    }

    private struct State {
        /// Those that wait to be drawn, the first one first.
        var queue: [String] = []
        /// Those that wait or are being drawn.
        var jobs: [String: Job] = [:]
        var cache: CardCache
        var nextID = 0
        var drawnCount = 0
        var isClosed = false
    }

    private let state: Mutex<State>
    private let queueLimit: Int
    private let work = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - threads: How many cards are drawn at once.
    ///   - queueLimit: How many may wait.
    ///   - cacheCount: How many are kept.
    ///   - cacheBytes: How much all that are kept may take.
    public init(
        threads: Int, queueLimit: Int = 64, cacheCount: Int = 200, cacheBytes: Int = 32 << 20
    ) {
        self.queueLimit = queueLimit
        state = Mutex(State(cache: CardCache(countLimit: cacheCount, byteLimit: cacheBytes)))
        for number in 0..<threads {
            let thread = Thread { [self] in run() }
            thread.name = "card \(number)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Ends the threads when nothing waits any more.
    public func close() {
        state.withLock { $0.isClosed = true }
        work.signal()
    }

    /// How many cards wait to be drawn.
    var waitingCount: Int { state.withLock { $0.queue.count } }

    /// How many cards were drawn.
    var drawnCount: Int { state.withLock { $0.drawnCount } }

    /// The card as a PNG.
    ///
    /// A card that nobody waits for any more is not drawn.
    ///
    /// - Throws: `BusyError` if too many wait, `CancellationError` at once when the task is
    ///   cancelled, `CardError`.
    public func png(of card: ShareCard) async throws -> [UInt8] {
        let digest = card.digest
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                enter(waiter, id, card, digest)
            }
        } onCancel: {
            leave(id, digest)
        }
    }

    private func enter(_ waiter: Waiter, _ id: Int, _ card: ShareCard, _ digest: String) {
        let answer: Result<[UInt8], any Error>? = state.withLock { state in
            // Looked at under the lock: `leave` comes either before this, or finds the waiter.
            guard !Task.isCancelled else { return .failure(CancellationError()) }
            if let png = state.cache.png(for: digest) { return .success(png) }
            if state.jobs[digest] != nil {
                state.jobs[digest]?.waiters[id] = waiter
                return nil
            }
            guard state.queue.count < queueLimit, !state.isClosed else {
                return .failure(BusyError())
            }
            state.jobs[digest] = Job(card: card, waiters: [id: waiter])
            state.queue.append(digest)
            work.signal()
            return nil
        }
        if let answer { waiter.resume(with: answer) }
    }

    private func leave(_ id: Int, _ digest: String) {
        let waiter = state.withLock { state in
            let waiter = state.jobs[digest]?.waiters.removeValue(forKey: id)
            if state.jobs[digest]?.waiters.isEmpty == true,
                let place = state.queue.firstIndex(of: digest)
            {
                state.queue.remove(at: place)
                state.jobs[digest] = nil
            }
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
    }

    private func run() {
        // 0 is the calling thread on Linux; see PasswordHasher.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        while true {
            work.wait()
            let (digest, card, isClosed) = state.withLock { state in
                let digest = state.queue.isEmpty ? nil : state.queue.removeFirst()
                return (digest, digest.flatMap { state.jobs[$0]?.card }, state.isClosed)
            }
            if let digest, let card {
                finish(digest, Result { () throws(CardError) in try card.png() })
            } else if isClosed {
                // Wakes the next thread, so that it ends, too.
                work.signal()
                return
            }
        }
    }

    private func finish(_ digest: String, _ result: Result<[UInt8], CardError>) {
        let job = state.withLock { state in
            state.drawnCount += 1
            if case .success(let png) = result { state.cache.insert(png, for: digest) }
            return state.jobs.removeValue(forKey: digest)
        }
        for waiter in job?.waiters.values.map({ $0 }) ?? [] {
            waiter.resume(with: result.mapError { $0 })
        }
    }
}

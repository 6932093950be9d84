import Foundation
import Glibc
import Synchronization

/// Hashes and verifies passwords on threads of its own, away from the event loops: one password
/// takes as long as thousands of requests.
///
/// The threads yield to the loops where the system lets them (nice 10). As many hashes are made at
/// once as there are threads; a bounded number waits.
public final class PasswordHasher: Sendable {
    /// What a password was found to be.
    public struct Verification: Sendable {
        public let matches: Bool
        /// Whether it matches and the hash has other costs than those of today.
        public let needsRenewal: Bool
    }

    /// More passwords wait than the bound allows.
    public struct BusyError: Error, Hashable, Sendable {}

    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        /// Jobs that wait or run, by whose they are.
        var counts: [String: Int] = [:]
        var isClosed = false

        mutating func enter(_ client: String) { counts[client, default: 0] += 1 }

        mutating func leave(_ client: String) {
            guard let count = counts[client] else { return }
            counts[client] = count > 1 ? count - 1 : nil
        }
    }

    private let costs: PasswordHash.Costs
    private let queueLimit: Int
    private let queue = Mutex(Queue())
    private let work = DispatchSemaphore(value: 0)
    /// What a password is compared with where there is none to compare it with, to take as long.
    private let decoy: PasswordHash

    /// - Parameters:
    ///   - ln: The binary logarithm of scrypt's cost N.
    ///   - threads: How many hashes are made at once; each takes 2^ln KiB.
    ///   - queueLimit: How many may wait; half as many of one client, running ones included.
    public init(ln: Int = 15, threads: Int, queueLimit: Int = 64) {
        costs = PasswordHash.Costs(ln: ln)
        self.queueLimit = queueLimit
        decoy = PasswordHash.decoy(costs: costs)
        for number in 0..<threads {
            let thread = Thread { [self] in run() }
            thread.name = "password \(number)"
            // scrypt's own memory is on the heap.
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Ends the threads when nothing waits any more.
    public func close() {
        queue.withLock { $0.isClosed = true }
        work.signal()
    }

    /// How many jobs wait.
    var waitingCount: Int { queue.withLock { $0.jobs.count } }

    private func run() {
        // 0 is the calling thread on Linux, whatever POSIX says; see setpriority(2), "C library/
        // kernel differences". Failing does no harm.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        while true {
            work.wait()
            let (job, isClosed) = queue.withLock { queue in
                (queue.jobs.isEmpty ? nil : queue.jobs.removeFirst(), queue.isClosed)
            }
            if let job {
                job()
            } else if isClosed {
                // Wakes the next thread, so that it ends, too.
                work.signal()
                return
            }
        }
    }

    /// The hash of a new password, to be stored.
    ///
    /// - Parameter client: Whose password it is, for their share of the queue; empty if unknown.
    public func hash(_ password: NewPassword, for client: String = "") async throws -> String {
        try await hash(password.text, for: client)
    }

    /// The hash, with the costs of today, of a password that was verified.
    func hash(_ password: String, for client: String = "") async throws -> String {
        try await perform(client) { [costs] in try PasswordHash(password, costs: costs).text }
    }

    /// Compares a password with a stored hash.
    ///
    /// - Parameter hash: `nil` if there is none; that takes as long, and so does one with lower
    ///   costs than those of today.
    public func verify(
        _ password: String, against hash: String?, for client: String = ""
    ) async throws -> Verification {
        try await perform(client) { [costs, decoy] in
            guard password.utf8.count <= 4 * NewPassword.lengths.upperBound,
                let stored = hash.flatMap({ PasswordHash(parsing: $0) })
            else {
                _ = try decoy.matches("")
                return Verification(matches: false, needsRenewal: false)
            }
            let matches = try stored.matches(password)
            if !matches, stored.costs.isLower(than: costs) { _ = try decoy.matches("") }
            return Verification(
                matches: matches, needsRenewal: matches && stored.costs != costs)
        }
    }

    private func perform<Result: Sendable>(
        _ client: String, _ job: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        defer { queue.withLock { $0.leave(client) } }
        return try await withCheckedThrowingContinuation { continuation in
            let isQueued = queue.withLock { queue in
                queue.enter(client)
                guard queue.jobs.count < queueLimit, !queue.isClosed,
                    // Nobody fills the queue alone.
                    client.isEmpty || queue.counts[client, default: 0] <= queueLimit / 2
                else { return false }
                queue.jobs.append {
                    continuation.resume(with: Swift.Result { try job() })
                }
                return true
            }
            guard isQueued else { return continuation.resume(throwing: BusyError()) }
            work.signal()
        }
    }
}

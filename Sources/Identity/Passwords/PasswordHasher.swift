public import Work

/// Hashes and verifies passwords on a pool of threads, away from the event loops. Hashing one
/// password takes as long as thousands of requests.
///
/// Methods throw `WorkerPool.BusyError`.
public final class PasswordHasher: Sendable {
    /// The result of verifying a password.
    public struct Verification: Sendable {
        public let matches: Bool
        /// Whether the password matches, and its hash has costs other than today's.
        public let needsRenewal: Bool
    }

    private let costs: PasswordHash.Costs
    private let pool: WorkerPool
    /// The hash that a password is compared with if there is no stored hash, so that verifying
    /// takes as long.
    private let decoy: PasswordHash

    /// - Parameters:
    ///   - ln: The binary logarithm of scrypt's cost N: a hash takes 2^ln KiB of memory.
    ///   - pool: Each of its threads computes one hash at a time.
    public init(ln: Int = 15, on pool: WorkerPool) {
        costs = PasswordHash.Costs(ln: ln)
        self.pool = pool
        decoy = PasswordHash.decoy(costs: costs)
    }

    /// The hash of a new password, to be stored.
    ///
    /// - Parameter client: The client that asks, for its share of the queue; empty if unknown.
    public func hash(_ password: NewPassword, for client: String = "") async throws -> String {
        try await hash(password.text, for: client)
    }

    /// The hash, with today's costs, of a password that was verified.
    func hash(_ password: String, for client: String = "") async throws -> String {
        try await pool.run(.password, for: client, isCancellable: false) { [costs] in
            try PasswordHash(password, costs: costs).text
        }
    }

    /// Compares a password with a stored hash.
    ///
    /// - Parameter hash: `nil` if there is none. A failure takes no less time without a hash, or
    ///   with a hash whose costs are lower than today's.
    public func verify(
        _ password: String, against hash: String?, for client: String = ""
    ) async throws -> Verification {
        try await pool.run(.password, for: client, isCancellable: false) { [costs, decoy] in
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
}

import Work

/// Hashes and verifies passwords on a pool of threads, away from the event loops: one password takes
/// as long as thousands of requests.
///
/// Members throw `WorkerPool.BusyError`.
public final class PasswordHasher: Sendable {
    /// What a password was found to be.
    public struct Verification: Sendable {
        public let matches: Bool
        /// Whether it matches and the hash has other costs than those of today.
        public let needsRenewal: Bool
    }

    private let costs: PasswordHash.Costs
    private let pool: WorkerPool
    /// What a password is compared with where there is none to compare it with, to take as long.
    private let decoy: PasswordHash

    /// - Parameters:
    ///   - ln: The binary logarithm of scrypt's cost N: a hash takes 2^ln KiB.
    ///   - pool: Each of its threads makes one hash at a time.
    public init(ln: Int = 15, on pool: WorkerPool) {
        costs = PasswordHash.Costs(ln: ln)
        self.pool = pool
        decoy = PasswordHash.decoy(costs: costs)
    }

    /// The hash of a new password, to be stored.
    ///
    /// - Parameter client: Whose password it is, for their share of the queue; empty if unknown.
    public func hash(_ password: NewPassword, for client: String = "") async throws -> String {
        try await hash(password.text, for: client)
    }

    /// The hash, with the costs of today, of a password that was verified.
    func hash(_ password: String, for client: String = "") async throws -> String {
        try await pool.run(for: client) { [costs] in try PasswordHash(password, costs: costs).text }
    }

    /// Compares a password with a stored hash.
    ///
    /// - Parameter hash: `nil` if there is none; that takes as long, and so does one with lower
    ///   costs than those of today.
    public func verify(
        _ password: String, against hash: String?, for client: String = ""
    ) async throws -> Verification {
        try await pool.run(for: client) { [costs, decoy] in
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

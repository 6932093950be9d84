import FaveGames
import Storage

// Reports of what breaks the rules.
extension Accounts {
    /// Reports something, within limits: more generous ones for people who are signed in.
    ///
    /// - Parameter user: `nil` if no one is signed in.
    /// - Returns: `false` if the thing isn't there, or not everyone may see it.
    /// - Throws: `AccountError.tooManyAttempts`, `PostgresError`.
    public func report(
        _ thing: ReportedThing, by user: User?, from address: String, reason: ReportReason,
        note: ModerationNote
    ) async throws -> Bool {
        let attempts: Attempts
        if let user {
            attempts = .report(user.id)
            try await attempt(attempts, policy.reportsPerUser)
        } else {
            attempts = .reportFrom(address)
            try await attempt(from: address, policy.reportsPerAddress) { .reportFrom($0) }
        }
        return try await store.report(
            thing, by: user?.id.uuidString.lowercased() ?? attempts.key, reporterID: user?.id,
            reason: reason, note: note)
    }
}

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
        let reporter: String
        if let user {
            try await attempt(.report(user.id), policy.reportsPerUser)
            reporter = user.id.uuidString.lowercased()
        } else {
            try await attempt(from: address, policy.reportsPerAddress) { .reportFrom($0) }
            // What one network reports can't be told from its digests.
            reporter = try await digest(of: .report(thing, from: address))
        }
        return try await store.report(
            thing, by: reporter, reporterID: user?.id, reason: reason, note: note)
    }
}

public import FaveGames
public import Foundation
public import Postgres

// Ways back in for people who have forgotten their password.
extension Store {
    /// How many recovery codes a user has left.
    public func recoveryCodeCount(userID: UUID) async throws(PostgresError) -> Int {
        try await database.row(Recovery.codeCount, [.uuid(userID)])
    }

    public func hasRecoveryCode(userID: UUID, hash: [UInt8]) async throws(PostgresError) -> Bool {
        try await database.row(Recovery.hasCode, [.uuid(userID), .bytes(hash)])
    }

    /// The user that a reset link is for; `nil` if the link was used or has expired.
    public func user(resetToken hash: [UInt8]) async throws(PostgresError) -> User? {
        try await user(Recovery.resetOwner, [.bytes(hash)])
    }
}

package enum Recovery {
    static let codeCount = Query("recovery_code_count", .read, column("count(*)", Int.self)) {
        "SELECT \($0) FROM recovery_codes WHERE user_id = $1"
    }

    package static let codes = Query(
        "recovery_codes", .read,
        Columns<RecoveryCodes>(["max(made_at)", "count(*)"]) { row throws(PostgresError) in
            try RecoveryCodes(madeAt: row.next(), unused: row.next())
        }
    ) { "SELECT \($0) FROM recovery_codes WHERE user_id = $1 GROUP BY user_id" }

    static let hasCode = Query(
        "has_recovery_code", .read,
        column("EXISTS (SELECT FROM recovery_codes WHERE (user_id, hash) = ($1, $2))", Bool.self)
    )

    static let resetOwner = Query(
        "reset_owner", .read, User.columns,
        unfiltered: "The browser may be signed in to another account than the link's."
    ) {
        """
        SELECT \($0) FROM \(User.tables)
        WHERE u.id = (SELECT user_id FROM password_resets
                      WHERE token_hash = $1 AND expires_at > now())
        """
    }
}

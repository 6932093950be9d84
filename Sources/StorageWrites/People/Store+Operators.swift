public import FaveGames
public import Foundation
public import Postgres
public import Storage

// Operators' work on people's accounts. It needs no one's consent.
extension Store {
    /// Disables an account, which ends its sessions and hides its list, or enables it again.
    ///
    /// - Returns: Whether the account was changed.
    public func setDisabled(_ disabled: Bool, userID: UUID) async throws -> Bool {
        try await database.withTransaction(lockingListsOf: [userID]) { transaction in
            let rows = try await transaction.query(
                Operators.setDisabled, [.uuid(userID), .bool(disabled)])
            if disabled {
                try await transaction.query(Sessions.endAllWithApps, [.uuid(userID)])
            }
            return rows.affectedCount == 1
        }
    }

    /// Deletes a user and everything that belongs to them.
    public func deleteAccount(userID: UUID) async throws {
        try await database.withTransaction(lockingListsOf: [userID]) { transaction in
            try await transaction.query(MailQueries.tellOfDeletion, [.uuid(userID)])
            try await transaction.query(Users.delete, [.uuid(userID)])
        }
    }

    /// Lets anyone take a username that its user has left, or whose account was deleted, and those that
    /// look like it. A former username then leads nowhere.
    ///
    /// - Returns: Whether it was one.
    public func free(_ username: Username) async throws(PostgresError) -> Bool {
        try await database.row(Operators.freeUsername, [.text(username.description)])
    }
}

extension Operators {
    static let freeUsername = Query(
        "free_username", .write,
        column("EXISTS (SELECT FROM former UNION ALL SELECT FROM retired)", Bool.self)
    ) {
        """
        WITH former AS (
            DELETE FROM former_usernames WHERE lookalike(username) = lookalike($1) RETURNING true
        ), retired AS (
            DELETE FROM retired_usernames WHERE digest = username_digest($1) RETURNING true
        )
        SELECT \($0)
        """
    }

    static let setDisabled = Statement(
        "set_disabled", .write,
        """
        UPDATE users
        SET disabled_at = CASE WHEN $2::boolean THEN now() END, disabled_until = NULL
        WHERE id = $1 AND ((disabled_at IS NOT NULL) <> $2::boolean
                           -- For good, and not only until a suspension ends.
                           OR $2::boolean AND disabled_until IS NOT NULL)
        """)
}

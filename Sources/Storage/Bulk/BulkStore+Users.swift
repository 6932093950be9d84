import FaveGames
import Foundation
import Postgres

/// A user as an operator sees them.
public struct UserRecord: Sendable {
    public let user: User
    public let disabledAt: Date?
    public let hasPassword: Bool
    public let identities: [String]
    public let entryCount: Int
    public let sessionCount: Int
}

extension BulkStore {
    /// The user with this username, even if disabled.
    public func user(username: String) throws -> User? {
        try session.query(Users.byUsername, [.text(username)]).first
    }

    /// Users in the order of their usernames.
    ///
    /// - Parameters:
    ///   - search: Part of the username or of the display name.
    ///   - disabled: Whether to return only disabled users.
    public func users(search: SearchText?, disabled: Bool, limit: Int) throws -> [UserRecord] {
        try records(
            """
            WHERE ($1::text IS NULL
                   OR fold(u.username || ' ' || u.display_name) LIKE '%' || like_escape(fold($1)) || '%')
              AND (NOT $2::boolean OR u.disabled_at IS NOT NULL)
            ORDER BY u.username LIMIT $3
            """, [.text(search?.text), .bool(disabled), .int(limit)])
    }

    public func record(userID: UUID) throws -> UserRecord? {
        try records("WHERE u.id = $1", [.uuid(userID)]).first
    }

    private func records(
        _ condition: String, _ parameters: [PostgresParameter]
    ) throws -> [UserRecord] {
        let records = Query("user_records", .read, Self.record) {
            "SELECT \($0) FROM \(User.tables) \(condition)"
        }
        return try session.query(records, parameters)
    }

    private static let record = Columns(
        User.columns.expressions + [
            "u.disabled_at",
            "EXISTS (SELECT FROM passwords WHERE user_id = u.id)",
            """
            ARRAY(SELECT issuer || ' ' || subject FROM identities
                  WHERE user_id = u.id ORDER BY linked_at, id)
            """,
            "(SELECT count(*) FROM entries WHERE user_id = u.id)",
            "(SELECT count(*) FROM sessions WHERE user_id = u.id AND expires_at > now())",
        ]
    ) { row throws(PostgresError) in
        try UserRecord(
            user: row.next(User.columns), disabledAt: row.next(), hasPassword: row.next(),
            identities: row.next(), entryCount: row.next(), sessionCount: row.next())
    }

    /// Makes a user with a password. The display name is the username.
    ///
    /// - Throws: `UsernameTakenError`.
    public func makeUser(username: Username, passwordHash: String) throws -> User {
        let made = try session.query(
            Users.makeWithPassword, Users.makeWithPassword(username, passwordHash))
        guard let user = made.first else { throw UsernameTakenError() }
        return user
    }

    /// - Throws: `UsernameTakenError`.
    public func rename(userID: UUID, to username: Username) throws {
        do {
            try session.withTransaction(lockingListOf: userID) {
                _ = try session.query(
                    Users.change, ProfileChanges(username: username).parameters(of: userID))
            }
        } catch let error as PostgresError {
            throw UsernameTakenError(error) ?? error as any Error
        }
    }

    /// Disables an account, which ends its sessions and hides its list, or enables it again.
    ///
    /// - Returns: Whether the account was changed.
    public func setDisabled(_ disabled: Bool, userID: UUID) throws -> Bool {
        try session.withTransaction(lockingListOf: userID) {
            let rows = try session.query(
                """
                UPDATE users
                SET disabled_at = CASE WHEN $2::boolean THEN now() END, disabled_until = NULL
                WHERE id = $1 AND ((disabled_at IS NOT NULL) <> $2::boolean
                                   -- For good, and not only until a suspension ends.
                                   OR $2::boolean AND disabled_until IS NOT NULL)
                """, [.uuid(userID), .bool(disabled)])
            if disabled { try session.query(Sessions.endAll.sql, [.uuid(userID)]) }
            return rows.affectedCount == 1
        }
    }

    /// Sets a password, whatever the old one was, and takes away every other way in, and the address of
    /// mail.
    public func setPassword(userID: UUID, hash: String) throws {
        try session.withTransaction {
            try session.query(Users.lock.sql, [.uuid(userID)])
            for (statement, parameters) in Recovery.setPassword(
                userID: userID, hash: hash, keepsAddress: false)
            {
                try session.query(statement.sql, parameters)
            }
        }
    }

    /// Ends everyone's sessions.
    ///
    /// - Returns: How many there were.
    public func endSessions() throws -> Int {
        try session.query("DELETE FROM sessions").affectedCount
    }

    /// Deletes a user and everything that belongs to them.
    public func deleteUser(id: UUID) throws {
        try session.withTransaction(lockingListOf: id) {
            try session.query(Mail.tellOfDeletion.sql, [.uuid(id)])
            try session.query(Users.delete.sql, [.uuid(id)])
        }
    }

    /// Everything that is stored about a user, as one JSON document.
    public func export(userID: UUID) throws -> String? {
        try session.query(Users.export, [.uuid(userID)]).first
    }
}

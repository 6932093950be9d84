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
    /// The user who has the name, disabled or not.
    public func user(username: String) throws -> User? {
        guard let row = try session.query(Statement.userByUsername.sql, [.text(username)]).first
        else { return nil }
        return try User(row, from: 0)
    }

    /// Users in the order of their names.
    ///
    /// - Parameters:
    ///   - search: Part of the username or of the name.
    ///   - disabled: Only those that are disabled.
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
        try session.query(
            """
            SELECT \(Statement.userColumns), u.disabled_at,
                   EXISTS (SELECT FROM passwords WHERE user_id = u.id),
                   ARRAY(SELECT issuer || ' ' || subject FROM identities
                         WHERE user_id = u.id ORDER BY linked_at, id),
                   (SELECT count(*) FROM entries WHERE user_id = u.id),
                   (SELECT count(*) FROM sessions WHERE user_id = u.id AND expires_at > now())
            FROM \(Statement.userTables)
            \(condition)
            """, parameters
        ).map { row in
            UserRecord(
                user: try User(row, from: 0), disabledAt: try row[8], hasPassword: try row[9],
                identities: try row[10], entryCount: try row[11], sessionCount: try row[12])
        }
    }

    /// Makes a user with a password. The display name is the username.
    ///
    /// - Throws: `UsernameTakenError`.
    public func makeUser(username: Username, passwordHash: String) throws -> User {
        let rows = try session.query(
            Statement.makeUserWithPassword.sql, [.text(username.description), .text(passwordHash)])
        guard let row = rows.first else { throw UsernameTakenError() }
        return try User(row, from: 0)
    }

    /// - Throws: `UsernameTakenError`.
    public func rename(userID: UUID, to username: Username) throws {
        do {
            try session.query(
                Statement.changeUser.sql,
                [.uuid(userID), .text(username.description), nil, nil, nil])
        } catch {
            if let error = UsernameTakenError(error) { throw error }
            throw error
        }
    }

    /// Shuts an account, which ends its sessions and hides its list, or opens it again.
    ///
    /// - Returns: Whether that changed anything.
    public func setDisabled(_ disabled: Bool, userID: UUID) throws -> Bool {
        try session.withTransaction {
            // First, as writers of the list do: those come to the user after it.
            try session.query(Statement.lockList.sql, [.uuid(userID)])
            let rows = try session.query(
                """
                UPDATE users SET disabled_at = CASE WHEN $2::boolean THEN now() END
                WHERE id = $1 AND (disabled_at IS NOT NULL) <> $2::boolean
                """, [.uuid(userID), .bool(disabled)])
            if disabled { try session.query(Statement.endSessions.sql, [.uuid(userID)]) }
            return rows.affectedCount == 1
        }
    }

    /// Sets a password, whatever it was, and ends all sessions of the user.
    public func setPassword(userID: UUID, hash: String) throws {
        try session.withTransaction {
            try session.query(Statement.forcePassword.sql, [.uuid(userID), .text(hash)])
            try session.query(Statement.endSessions.sql, [.uuid(userID)])
        }
    }

    /// Deletes a user with everything of theirs.
    public func deleteUser(id: UUID) throws {
        try session.withTransaction {
            try session.query(Statement.lockList.sql, [.uuid(id)])
            try session.query(Statement.deleteUser.sql, [.uuid(id)])
        }
    }

    /// Everything that is held about a user, as one JSON document.
    public func export(userID: UUID) throws -> String? {
        try session.query(Statement.exportUser.sql, [.uuid(userID)]).first?[0]
    }
}

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

// Operators' work on people's accounts. It needs no one's consent.
extension Store {
    /// The user with this username, even if disabled.
    public func account(username: String) async throws(PostgresError) -> User? {
        try await user(Users.byUsername, [.text(username)])
    }

    /// Users in the order of their usernames.
    ///
    /// - Parameters:
    ///   - search: Part of the username or of the display name.
    ///   - disabled: Whether to return only disabled users.
    public func accounts(
        search: SearchText?, disabled: Bool, limit: Int
    ) async throws(PostgresError) -> [UserRecord] {
        try await database.query(
            Operators.accounts, [.text(search?.text), .bool(disabled), .int(limit)])
    }

    public func accountRecord(userID: UUID) async throws(PostgresError) -> UserRecord? {
        try await database.query(Operators.account, [.uuid(userID)]).first
    }

    /// Disables an account, which ends its sessions and hides its list, or enables it again.
    ///
    /// - Returns: Whether the account was changed.
    @_spi(Writing) public func setDisabled(_ disabled: Bool, userID: UUID) async throws -> Bool {
        try await database.withTransaction(lockingListsOf: [userID]) { transaction in
            let rows = try await transaction.query(
                Operators.setDisabled, [.uuid(userID), .bool(disabled)])
            if disabled { try await transaction.query(Sessions.endAll, [.uuid(userID)]) }
            return rows.affectedCount == 1
        }
    }

    /// Deletes a user and everything that belongs to them.
    @_spi(Writing) public func deleteAccount(userID: UUID) async throws {
        try await database.withTransaction(lockingListsOf: [userID]) { transaction in
            try await transaction.query(Mail.tellOfDeletion, [.uuid(userID)])
            try await transaction.query(Users.delete, [.uuid(userID)])
        }
    }

    /// Lets anyone take a username that its user has left, or whose account was deleted, and those that
    /// look like it. A former username then leads nowhere.
    ///
    /// - Returns: Whether it was one.
    @_spi(Writing) public func free(_ username: Username) async throws(PostgresError) -> Bool {
        try await database.row(Operators.freeUsername, [.text(username.description)])
    }

    /// Gives someone a role.
    ///
    /// - Returns: Whether the role was changed.
    @_spi(Writing) public func setRole(_ role: Role, userID: UUID) async throws -> Bool {
        try await database.withTransaction(lockingListsOf: [userID]) { transaction in
            try await transaction.query(
                Moderation.setRole, [.uuid(userID), .text(role.rawValue)]
            ).affectedCount == 1
        }
    }

    public func hasAdministrator() async throws(PostgresError) -> Bool {
        try await database.row(Moderation.hasAdministrator)
    }

    /// Makes a link that makes someone the first administrator. It replaces earlier links.
    ///
    /// - Parameters:
    ///   - tokenHash: 32 bytes.
    ///   - lifetime: In seconds.
    @_spi(Writing) public func makeAdministratorLink(tokenHash: [UInt8], lifetime: Int) async throws
    {
        try await database.withTransaction { transaction in
            try await transaction.query(Moderation.forgetLinks)
            try await transaction.query(
                Moderation.makeLink, [.bytes(tokenHash), .int(lifetime)])
        }
    }
}

enum Operators {
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

    static let accounts = Query("accounts", .longRead, record) {
        """
        SELECT \($0) FROM \(User.tables)
        WHERE ($1::text IS NULL
               OR fold(u.username || ' ' || u.display_name) LIKE '%' || like_escape(fold($1)) || '%')
          AND (NOT $2::boolean OR u.disabled_at IS NOT NULL)
        ORDER BY u.username LIMIT $3
        """
    }

    static let account = Query("account", .read, record) {
        "SELECT \($0) FROM \(User.tables) WHERE u.id = $1"
    }

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

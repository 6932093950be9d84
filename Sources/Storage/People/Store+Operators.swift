public import FaveGames
public import Foundation
public import Postgres

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

    public func hasAdministrator() async throws(PostgresError) -> Bool {
        try await database.row(Operators.hasAdministrator)
    }
}

package enum Operators {
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

    package static let hasAdministrator = Query(
        "has_administrator", .read,
        column("EXISTS (SELECT FROM users WHERE role = 'admin')", Bool.self)
    )
}

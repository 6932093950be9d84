public import FaveGames
public import Foundation
public import Postgres

/// A user and the hash of their password, if any. Must never be logged.
package struct Credentials: Sendable {
    package let user: User
    package let passwordHash: String?
}

extension Store {
    // MARK: Passwords

    /// The credentials of the user with this username, even if disabled.
    package func credentials(username: String) async throws(PostgresError) -> Credentials? {
        try await database.query(Accounts.credentialsByUsername, [.text(username)]).first
    }

    package func credentials(userID: UUID) async throws(PostgresError) -> Credentials? {
        try await database.query(Accounts.credentialsByUserID, [.uuid(userID)]).first
    }

    /// Whether the username is available now.
    public func isFree(_ username: Username) async throws(PostgresError) -> Bool {
        try await database.row(Users.nameIsFree, [.text(username.description)])
    }

    /// Whether a user was made less than a minute ago.
    public func isJustMade(userID: UUID) async throws(PostgresError) -> Bool {
        try await database.row(Users.isJustMade, [.uuid(userID)])
    }
}

enum Accounts {
    private static func credentials(
        _ name: String, where condition: String
    ) -> Query<Credentials> {
        let columns = Columns(
            User.columns.expressions + ["p.hash"]
        ) { row throws(PostgresError) in
            try Credentials(user: row.next(User.columns), passwordHash: row.next())
        }
        return Query(
            name, .read, columns,
            unfiltered: "Someone may sign in while the browser is signed in to another account."
        ) {
            """
            SELECT \($0)
            FROM \(User.tables) LEFT JOIN passwords p ON p.user_id = u.id
            WHERE \(condition)
            """
        }
    }

    static let credentialsByUsername = credentials(
        "credentials_by_username", where: "u.username = $1")

    static let credentialsByUserID = credentials(
        "credentials_by_user_id", where: "u.id = $1")
}

extension Users {
    static let isJustMade = Query(
        "user_is_just_made", .read,
        column(
            """
            EXISTS (SELECT FROM users
                    WHERE id = $1 AND created_at > now() - interval '1 minute')
            """, Bool.self)
    )

    static let nameIsFree = Query(
        "username_is_free", .read,
        column(
            """
            NOT EXISTS (SELECT FROM users WHERE username = $1)
            AND NOT EXISTS (SELECT FROM users
                            WHERE lookalike(username) = lookalike($1) AND NOT may_look_alike)
            AND NOT is_username_reserved($1, NULL)
            """, Bool.self),
        unfiltered: "A username is taken, no matter whose it is."
    )
}

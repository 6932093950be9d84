import FaveGames
import Foundation
import Postgres

extension Store {
    /// The user of a name, as someone may see them: `nil` for everybody but themselves if their
    /// list is private, and for all if the account is disabled.
    ///
    /// - Parameter viewer: The user who looks, if it is known.
    public func user(
        username: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> User? {
        try await user(.visibleUser, [.text(username), .uuid(viewer)])
    }

    public func user(id: UUID) async throws(PostgresError) -> User? {
        try await user(.userByID, [.uuid(id)])
    }

    /// The user whose id has this digest, as someone may see them.
    public func user(
        digest: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> User? {
        try await user(.visibleUserByDigest, [.text(digest), .uuid(viewer)])
    }

    /// The name now of a user who had this one before, if everybody may see them.
    public func successor(ofUsername username: String) async throws(PostgresError) -> String? {
        try await database.query(.usernameSuccessor, [.text(username)]).first?[0]
    }

    /// The user that an issuer of tokens calls `subject`.
    public func user(issuer: String, subject: String) async throws(PostgresError) -> User? {
        try await user(.userByIdentity, [.text(issuer), .text(subject)])
    }

    func user(
        _ statement: Statement, _ parameters: [PostgresParameter]
    ) async throws(PostgresError) -> User? {
        guard let row = try await database.query(statement, parameters).first else { return nil }
        return try User(row, from: 0)
    }

    /// Makes a user for a subject that was never seen, with the first free one of the usernames
    /// that `suggestion` gives for 0, 1, 2 ….
    ///
    /// Callers that make the same subject's user at the same time get the same user.
    ///
    /// - Parameter displayName: 1 to `DisplayName.limit` characters; the username if `nil`.
    public func makeUser(
        issuer: String, subject: String, displayName: String?,
        suggestion: @Sendable (Int) -> Username
    ) async throws(PostgresError) -> User {
        for attempt in 0..<1000 {
            // After the obvious ones, jump: a thousand people called "alex" must not each try all.
            let number = attempt < 4 ? attempt : Int.random(in: 10...999_999)
            let username = suggestion(number)
            do {
                let user = try await user(
                    .makeUser,
                    [
                        .text(issuer), .text(subject), .text(username.description),
                        .text(displayName ?? username.description),
                    ])
                if let user { return user }
            } catch  where error.constraint == "identities_pkey" {
                if let user = try await user(issuer: issuer, subject: subject) { return user }
                throw error
            }
        }
        throw PostgresError(.unexpectedResult, detail: "no free username")
    }

    /// People with public lists whose username or name contains the text, the username that is the
    /// text first.
    ///
    /// - Parameter limit: At most 100.
    public func users(
        matching search: SearchText, limit: Int
    ) async throws(PostgresError) -> [User] {
        let statement: Statement = search.isShort ? .usersBeginning : .usersMatching
        var users: [User] = []
        for row in try await database.query(statement, [.text(search.text), .int(limit)]) {
            users.append(try User(row, from: 0))
        }
        return users
    }
}

extension Statement {
    /// Of `userTables`, for `User.init(_:from:)`.
    static let userColumns = """
        u.id, u.username, u.display_name, u.created_at, l.updated_at,
        u.bio, u.visibility, u.disabled_at IS NOT NULL
        """
    static let userTables = "users u JOIN lists l ON l.user_id = u.id"

    /// Whether the user `u` may be seen by the user `$2`.
    static let isVisible =
        "u.disabled_at IS NULL AND (u.visibility <> 'private' OR u.id = $2::uuid)"

    static let visibleUser = Statement(
        "visible_user", .read,
        "SELECT \(userColumns) FROM \(userTables) WHERE u.username = $1 AND \(isVisible)")

    static let visibleUserByDigest = Statement(
        "visible_user_by_digest", .read,
        "SELECT \(userColumns) FROM \(userTables) WHERE user_digest(u.id) = $1 AND \(isVisible)")

    static let usernameSuccessor = Statement(
        "username_successor", .read,
        """
        SELECT u.username
        FROM former_usernames f JOIN users u ON u.id = f.user_id
        WHERE f.username = $1 AND u.disabled_at IS NULL AND u.visibility <> 'private'
        """)

    /// The user, whether others may see them or not.
    static let userByUsername = Statement(
        "user_by_username", .read,
        "SELECT \(userColumns) FROM \(userTables) WHERE u.username = $1")

    static let userByID = Statement(
        "user_by_id", .read,
        "SELECT \(userColumns) FROM \(userTables) WHERE u.id = $1")

    static let userByIdentity = Statement(
        "user_by_identity", .read,
        """
        SELECT \(userColumns)
        FROM identities i JOIN \(userTables) ON u.id = i.user_id
        WHERE (i.issuer, i.subject) = ($1, $2)
        """)

    /// Gives no row if the username is taken or looks like one that is; fails on `identities_pkey` if the subject is known.
    static let makeUser = Statement(
        "make_user", .write,
        """
        WITH u AS (
            INSERT INTO users (username, display_name) VALUES ($3, $4)
            ON CONFLICT DO NOTHING
            RETURNING *
        ), identity AS (
            INSERT INTO identities (issuer, subject, user_id) SELECT $1, $2, id FROM u
        )
        SELECT id, username, display_name, created_at, NULL::timestamptz, bio, visibility, false
        FROM u
        """)

    /// Bounded like the search for games.
    private static func search(_ name: String, where condition: String) -> Statement {
        Statement(
            name, .read,
            """
            SELECT \(userColumns)
            FROM (
                SELECT * FROM users
                WHERE \(condition) AND visibility = 'public' AND disabled_at IS NULL
                LIMIT 1000
            ) u
            JOIN lists l ON l.user_id = u.id
            ORDER BY u.username <> fold($1), NOT starts_with(u.username, fold($1)), u.username
            LIMIT $2
            """)
    }

    static let usersMatching = search(
        "users_matching",
        where: "fold(username || ' ' || display_name) LIKE '%' || like_escape(fold($1)) || '%'")

    static let usersBeginning = search(
        "users_beginning", where: "username LIKE like_escape(fold($1)) || '%'")
}

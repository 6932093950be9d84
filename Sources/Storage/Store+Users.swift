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
        try await user(Users.visible, [.text(username), .uuid(viewer)])
    }

    public func user(id: UUID) async throws(PostgresError) -> User? {
        try await user(Users.byID, [.uuid(id)])
    }

    /// The user whose id has this digest, as someone may see them.
    public func user(
        digest: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> User? {
        try await user(Users.visibleByDigest, [.text(digest), .uuid(viewer)])
    }

    /// The name now of a user who had this one before, if everybody may see them.
    public func successor(ofUsername username: String) async throws(PostgresError) -> String? {
        try await database.query(Users.successor, [.text(username)]).first
    }

    /// The user that an issuer of tokens calls `subject`.
    public func user(issuer: String, subject: String) async throws(PostgresError) -> User? {
        try await user(Users.byIdentity, [.text(issuer), .text(subject)])
    }

    func user(
        _ query: Query<User>, _ parameters: [PostgresParameter]
    ) async throws(PostgresError) -> User? {
        try await database.query(query, parameters).first
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
                    Users.makeWithIdentity,
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
        try await database.query(
            search.isShort ? Users.beginning : Users.matching, [.text(search.text), .int(limit)])
    }
}

enum Users {
    /// Whether the user `u` may be seen by the user `$2`.
    static let isVisible =
        "u.disabled_at IS NULL AND (u.visibility <> 'private' OR u.id = $2::uuid)"

    private static func user(_ name: String, where condition: String) -> Query<User> {
        Query(name, .read, User.columns) { "SELECT \($0) FROM \(User.tables) WHERE \(condition)" }
    }

    static let visible = user("visible_user", where: "u.username = $1 AND \(isVisible)")

    static let visibleByDigest = user(
        "visible_user_by_digest", where: "user_digest(u.id) = $1 AND \(isVisible)")

    /// The user, whether others may see them or not.
    static let byUsername = user("user_by_username", where: "u.username = $1")

    static let byID = user("user_by_id", where: "u.id = $1")

    static let byIdentity = user(
        "user_by_identity",
        where: "u.id = (SELECT user_id FROM identities WHERE (issuer, subject) = ($1, $2))")

    static let successor = Query("username_successor", .read, column("u.username", String.self)) {
        """
        SELECT \($0)
        FROM former_usernames f JOIN users u ON u.id = f.user_id
        WHERE f.username = $1 AND u.disabled_at IS NULL AND u.visibility <> 'private'
        """
    }

    /// A user who was just made, as a table expression makes one.
    static func made(_ name: String, _ expression: String) -> Query<User> {
        Query(name, .write, User.columns) {
            """
            WITH \(expression)
            SELECT \($0) FROM u CROSS JOIN (VALUES (NULL::timestamptz)) AS l (updated_at)
            """
        }
    }

    /// Gives no row if the username is taken or looks like one that is; fails on `identities_pkey`
    /// if the subject is known.
    static let makeWithIdentity = made(
        "make_user",
        """
        u AS (
            INSERT INTO users (username, display_name) VALUES ($3, $4)
            ON CONFLICT DO NOTHING
            RETURNING *
        ), identity AS (
            INSERT INTO identities (issuer, subject, user_id) SELECT $1, $2, id FROM u
        )
        """)

    /// Bounded like the search for games.
    private static func search(_ name: String, where condition: String) -> Query<User> {
        Query(name, .read, User.columns) {
            """
            SELECT \($0)
            FROM (
                SELECT * FROM users
                WHERE \(condition) AND visibility = 'public' AND disabled_at IS NULL
                LIMIT 1000
            ) u
            JOIN lists l ON l.user_id = u.id
            ORDER BY u.username <> fold($1), NOT starts_with(u.username, fold($1)), u.username
            LIMIT $2
            """
        }
    }

    static let matching = search(
        "users_matching",
        where: "fold(username || ' ' || display_name) LIKE '%' || like_escape(fold($1)) || '%'")

    static let beginning = search(
        "users_beginning", where: "username LIKE like_escape(fold($1)) || '%'")
}

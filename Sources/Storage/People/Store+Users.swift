public import FaveGames
public import Foundation
import Freshness
public import Postgres

extension Store {
    /// The user with this username, if the viewer may see them. A user whose list is private is
    /// `nil` for everyone else, and a disabled user is `nil` for everyone.
    ///
    /// - Parameter viewer: The user who wants to see the other, if known.
    public func user(username: String, seenBy viewer: UUID?) async throws(PostgresError) -> User? {
        try await user(Users.visible, [.text(username), .uuid(viewer)])
    }

    /// The user with this id, if their list is public. People with unlisted lists are only found by name.
    public func publicUser(id: UUID) async throws(PostgresError) -> User? {
        try await user(Users.publicByID, [.uuid(id)])
    }

    public func user(id: UUID) async throws(PostgresError) -> User? {
        try await user(Users.byID, [.uuid(id)])
    }

    /// The user whose id has this digest, if they are public or the viewer. Unlike a username, an
    /// id stays valid when its owner changes their name.
    public func user(digest: String, seenBy viewer: UUID?) async throws(PostgresError) -> User? {
        try await user(Users.visibleByDigest, [.text(digest), .uuid(viewer)])
    }

    /// The current username of the user who had this one before. It is `nil` if their list is
    /// private or their account is disabled.
    public func successor(ofUsername username: String) async throws(PostgresError) -> String? {
        try await database.query(Users.successor, [.text(username)]).first
    }

    /// The usernames that a user had before and that still lead to them, the latest first.
    public func formerUsernames(userID: UUID) async throws(PostgresError) -> [String] {
        try await database.query(Users.formerUsernames, [.uuid(userID)])
    }

    /// The user that an issuer of tokens calls `subject`.
    public func user(issuer: String, subject: String) async throws(PostgresError) -> User? {
        try await authenticated(Users.byIdentity, [.text(issuer), .text(subject)])
    }

    package func user(
        _ query: Query<User>, _ parameters: [PostgresParameter]
    ) async throws(PostgresError) -> User? {
        try await database.query(query, parameters).first
    }

    /// The user who sent the request. From now on, this store reads for them.
    ///
    /// - Parameters:
    ///   - query: Also returns `Blocks.exist`.
    ///   - wayIn: The session of the request.
    func authenticated(
        _ query: Query<(User, Bool)>, _ parameters: [PostgresParameter], with wayIn: UUID? = nil
    ) async throws(PostgresError) -> User? {
        let found = try await database.query(query, parameters).first
        guard let (user, hasBlocks) = found else { return nil }
        reads(for: user, with: wayIn, hasBlocks: hasBlocks)
        return user
    }

    /// Users with public lists whose username or display name contains the text; a short text must
    /// begin the username. A username that equals the text comes first.
    ///
    /// - Parameter limit: At most 100.
    public func users(
        matching search: SearchText, limit: Int
    ) async throws(PostgresError) -> [User] {
        try await database.query(
            search.isShort ? Users.beginning : Users.matching, [.text(search.text), .int(limit)])
    }
}

package enum Users {
    /// An SQL condition: whether the user `$2` may see the user `u`.
    static let isVisible =
        "u.disabled_at IS NULL AND (u.visibility <> 'private' OR u.id = $2::uuid)"

    private static func user(
        _ name: String, where condition: String, of dependencies: [Dependency]? = [.users()]
    ) -> Query<User> {
        Query(name, .read, User.columns, of: dependencies) {
            "SELECT \($0) FROM \(User.tables) WHERE \(condition)"
        }
    }

    static let visible = user("visible_user", where: "u.username = $1 AND \(isVisible)")
    static let publicByID = user("public_user_by_id", where: "u.id = $1 AND \(arePublic)")

    /// An SQL condition: whether the user `u` has the digest `$1`, and the user `$2` may find them by
    /// it.
    static let isFoundByDigest = """
        user_digest(u.id) = $1 AND u.disabled_at IS NULL
        AND (u.visibility = 'public' AND u.new_until IS NULL OR u.id = $2::uuid)
        """

    static let visibleByDigest = user("visible_user_by_digest", where: isFoundByDigest)

    /// The user with this username, whether or not others may see them.
    package static let byUsername = Query(
        "user_by_username", .read, User.columns,
        unfiltered: "Moderators and operators decide about everyone."
    ) {
        "SELECT \($0) FROM \(User.tables) WHERE u.username = $1"
    }

    package static let byID = user("user_by_id", where: "u.id = $1")

    static let byIdentity = Query(
        "user_by_identity", .read, columns(User.columns, Blocks.exist),
        unfiltered: "The browser may be signed in to another account than the identity's."
    ) {
        """
        SELECT \($0) FROM \(User.tables)
        WHERE u.id = (SELECT user_id FROM identities WHERE (issuer, subject) = ($1, $2))
        """
    }

    static let successor = Query("username_successor", .read, column("u.username", String.self)) {
        """
        SELECT \($0)
        FROM former_usernames f JOIN users u ON u.id = f.user_id
        WHERE f.username = $1 AND u.disabled_at IS NULL AND u.visibility <> 'private'
        """
    }

    static let formerUsernames = Query(
        "former_usernames", .read, column("username", String.self)
    ) {
        "SELECT \($0) FROM former_usernames WHERE user_id = $1 ORDER BY left_at DESC, username"
    }

    /// The text that is searched for. In a subquery, so that it is not computed for each candidate.
    private static let folded = "(SELECT fold($1))"

    /// An SQL condition: whether the lists of users are public.
    package static let arePublic = """
        visibility = 'public' AND disabled_at IS NULL AND new_until IS NULL
        """

    /// The first users whose username begins with `$1`, in the order of their usernames. Usernames
    /// are ASCII, so the tilde comes after all of their characters.
    private static let first = """
        SELECT * FROM users
        WHERE username ~>=~ \(folded) AND username ~<~ (\(folded) || '~') AND \(arePublic)
        ORDER BY username USING ~<~ LIMIT 100
        """

    private static func search(
        _ name: String, _ effect: Statement.Effect, in candidates: String
    ) -> Query<User> {
        let order = """
            u.username <> \(folded), NOT starts_with(u.username, \(folded)), u.username COLLATE "C"
            """
        return Query(name, effect, User.columns, of: [.users, .lists]) {
            """
            SELECT \($0)
            FROM (
                SELECT * FROM (
                    \(candidates)
                ) u
                ORDER BY \(order) LIMIT $2
            ) u
            JOIN lists l ON l.user_id = u.id
            ORDER BY \(order)
            """
        }
    }

    /// The number of candidates is bounded, as in the search for games.
    static let matching = search(
        "users_matching", .longRead,
        in: """
            (\(first))
            UNION ALL
            (SELECT * FROM users
             WHERE fold(username || ' ' || display_name) LIKE '%' || like_escape(\(folded)) || '%'
               AND \(arePublic) AND NOT starts_with(username, \(folded))
             LIMIT 1000)
            """)

    static let beginning = search("users_beginning", .read, in: first)
}

public import FaveGames
public import Foundation
public import Postgres

extension Store {
    /// The result of presenting a refresh token.
    package enum RefreshOutcome: Sendable {
        case refreshed(OpenSession)
        /// The token had been exchanged before, so someone has a copy, or the session had expired.
        /// The session has been ended.
        case wasSpent(session: UUID)
        case unknown
    }

    /// The user that one of our access tokens represents. It is `nil` if the user is disabled or
    /// gone, or if the session that the token names has ended.
    public func bearer(userID: UUID, sessionID: UUID?) async throws(PostgresError) -> User? {
        try await authenticated(
            Sessions.bearer, [.uuid(userID), .uuid(sessionID)], with: sessionID)
    }

    /// A user's valid sessions, the last used first; at most a hundred.
    public func sessions(userID: UUID) async throws(PostgresError) -> [SessionRecord] {
        try await database.query(Sessions.ofUser, [.uuid(userID)])
    }
}

package enum Sessions {
    /// For statements where `s` is the session of the user in `User.tables`.
    package static let session = Columns(
        ["s.id", "s.scopes"] + User.columns.expressions
    ) { row throws(PostgresError) in
        let (id, scopes): (UUID, [String]?) = try (row.next(), row.next())
        return try OpenSession(
            id: id, user: row.next(User.columns), scopes: scopes.map(PersonalTokens.scopes))
    }

    /// True. Lets a transaction commit without waiting for the disk or for a standby, for writes
    /// that may be lost in a crash.
    package static let asynchronously = "set_config('synchronous_commit', 'off', true) = 'off'"

    /// Whether `u` is the user that an access token represents. `$1` is the user's id, and `$2` the
    /// token's session, if it names one.
    static let isBearer = """
        u.id = $1 AND u.disabled_at IS NULL
        AND ($2::uuid IS NULL
             OR EXISTS (SELECT FROM sessions s
                        WHERE s.id = $2::uuid AND s.user_id = $1 AND s.expires_at > now()))
        """

    static let bearer = Query("bearer", .read, columns(User.columns, Blocks.exist)) {
        "SELECT \($0) FROM \(User.tables) WHERE \(isBearer)"
    }

    static let ofUser = Query(
        "sessions", .read,
        Columns<SessionRecord>(
            [
                "s.id", "s.kind", "s.device", "s.network::text", "s.created_at", "s.seen_at",
                "a.name",
                "coalesce(s.scopes, '{}')",
            ]
        ) { row throws(PostgresError) in
            let (id, kind): (UUID, SessionKind) = try (row.next(), row.next())
            let origin = try SessionOrigin(device: row.next(), network: row.next())
            let (created, seen): (Date, Date) = try (row.next(), row.next())
            let (app, scopes): (String?, [String]) = try (row.next(), row.next())
            return SessionRecord(
                id: id, kind: kind, origin: origin, createdAt: created, seenAt: seen,
                app: app.map { AppGrant(name: $0, scopes: PersonalTokens.scopes(scopes)) })
        }
    ) {
        """
        SELECT \($0) FROM sessions s LEFT JOIN apps a ON a.id = s.app_id
        WHERE s.user_id = $1 AND s.expires_at > now() AND s.code_binding IS NULL
        ORDER BY s.seen_at DESC, s.id LIMIT 100
        """
    }
}

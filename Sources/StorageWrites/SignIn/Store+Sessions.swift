public import FaveGames
public import Foundation
public import Postgres
public import Storage

extension SignInMeans {
    /// Opens a session if the means is still the account's.
    fileprivate var query: Query<UUID> {
        switch self {
        case .password: Sessions.openByPassword
        case .identity: Sessions.openByIdentity
        case .passkey: Sessions.openByPasskey
        }
    }

    fileprivate var parameters: [PostgresParameter] {
        switch self {
        case .password(let hash): [.text(hash)]
        case .identity(let issuer, let subject): [.text(issuer), .text(subject)]
        case .passkey(let id): [.uuid(id)]
        }
    }
}

extension Store {
    /// Opens a session. If the user already has a hundred, the least recently used one ends.
    ///
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the browser's token, or of the refresh token's own part.
    ///   - familyHash: SHA-256 of the part that all refresh tokens of an API session share; `nil`
    ///     for a browser's session.
    ///   - origin: Shown to the user as the session's origin.
    ///   - means: The means that the user has proved. It must still belong to the account.
    /// - Returns: The session's id; `nil` if the user is gone or disabled, or no longer signs in with
    ///   that.
    public func openSession(
        _ kind: SessionKind, userID: UUID, tokenHash: [UInt8], familyHash: [UInt8]? = nil,
        origin: SessionOrigin = .unknown, by means: SignInMeans, lifetime: SessionLifetime
    ) async throws(PostgresError) -> UUID? {
        let parameters: [PostgresParameter] =
            [.uuid(userID), .text(kind.rawValue), .bytes(tokenHash)] + lifetime.parameters
            + [familyHash.map { .bytes($0) } ?? nil, .text(origin.device), .text(origin.network)]
        return try await database.query(
            means.query, parameters + means.parameters,
            after: BoundStatement(Users.lock, [.uuid(userID)])
        ).first
    }

    /// Opens an app's session that waits for its code to be exchanged.
    ///
    /// - Parameters:
    ///   - bearer: The session that allows it. It must still be there.
    ///   - codeHash: SHA-256 of the code's own part.
    ///   - binding: What the app must show with the code.
    ///   - lifetime: How long the code is valid, in seconds.
    /// - Returns: Whether it was opened: the user, the app and the session are still there.
    public func openAppSession(
        of app: UUID, userID: UUID, allowedBy sessionID: UUID, scopes: Set<TokenScope>,
        codeHash: [UInt8], familyHash: [UInt8], binding: [UInt8], origin: SessionOrigin,
        lifetime: Int
    ) async throws(PostgresError) -> Bool {
        let opened = try await database.query(
            Sessions.openForApp,
            [
                .uuid(userID), .text(SessionKind.api.rawValue), .bytes(codeHash), .int(lifetime),
                .int(lifetime), .bytes(familyHash), .text(origin.device), .text(origin.network),
                .uuid(app), .texts(scopes.map(\.rawValue).sorted()), .bytes(binding),
                .uuid(sessionID),
            ], after: BoundStatement(Users.lock, [.uuid(userID)]))
        return !opened.isEmpty
    }

    /// The browser's session with this token, if it is valid and its user not disabled. Records its
    /// use in the background, about every five minutes.
    public func browserSession(
        tokenHash: [UInt8], lifetime: SessionLifetime
    ) async throws(PostgresError) -> BrowserSession? {
        let found = try await database.query(Sessions.browser, [.bytes(tokenHash)])
        guard let (open, isUnnoted, hasBlocks) = found.first else { return nil }
        var session = open
        // Reading doesn't depend on writing: no page waits for this write, or fails with it.
        if isUnnoted {
            database.pool.runInBackground(
                Sessions.touch, [.uuid(session.id)] + lifetime.parameters)
        }
        reads(for: session.user, with: session.id, hasBlocks: hasBlocks)
        if hasBlocks, session.news.hasUnseen {
            // Again, since what is new may be what the user doesn't see.
            let visit = try await database.query(
                NewsQueries.visitOfUser, [.uuid(session.user.id)])
            if let news = visit.first { session.news = news }
        }
        return session
    }

    /// Exchanges a refresh token for the next one, once. If this token was exchanged in the last
    /// `refreshGrace` seconds, and the next token wasn't exchanged in turn, the outcome is the
    /// same.
    ///
    /// - Parameters:
    ///   - familyHash: The hash of the part that all tokens of the session have in common.
    ///   - tokenHash: The hash of the token's own part.
    ///   - app: The app that must own the session; `nil` for a user's own session.
    ///   - binding: What the app shows if the token is its code, which is good only once.
    package func refreshSession(
        familyHash: [UInt8], tokenHash: [UInt8], nextTokenHash: [UInt8],
        of app: UUID? = nil, binding: [UInt8]? = nil, lifetime: SessionLifetime
    ) async throws(PostgresError) -> RefreshOutcome {
        let refreshed = try await database.query(
            Sessions.refresh,
            [.bytes(tokenHash), .bytes(nextTokenHash)] + lifetime.parameters
                + [.bytes(familyHash), .uuid(app), binding.map { .bytes($0) } ?? nil])
        if let session = refreshed.first { return .refreshed(session) }
        let repeated = try await database.query(
            Sessions.refreshedJustNow,
            [.bytes(familyHash), .bytes(nextTokenHash), .int(Self.refreshGrace), .uuid(app)])
        if let session = repeated.first { return .refreshed(session) }
        let ended = try await database.query(Sessions.endFamily, [.bytes(familyHash)])
        guard let id = ended.first else { return .unknown }
        return .wasSpent(session: id)
    }

    private static let refreshGrace = 30

    public func endSession(id: UUID) async throws(PostgresError) {
        try await database.query(Sessions.end, [.uuid(id)])
    }

    /// Ends an app's session.
    ///
    /// - Parameters:
    ///   - id: The session's, if an access token names it.
    ///   - familyHash: As for `refreshSession`, if a refresh token names it.
    public func endSession(
        id: UUID?, familyHash: [UInt8]?, of app: UUID
    ) async throws(PostgresError) {
        try await database.query(
            Sessions.endOfApp, [.uuid(app), .uuid(id), familyHash.map { .bytes($0) } ?? nil])
    }

    /// Ends the browser's session with this token, if there is one.
    public func endSession(tokenHash: [UInt8]) async throws(PostgresError) {
        try await database.query(Sessions.endByToken, [.bytes(tokenHash)])
    }

    /// Ends all sessions of a user.
    public func endSessions(userID: UUID) async throws(PostgresError) {
        try await database.query(Sessions.endAll, [.uuid(userID)])
    }

    /// Ends one of a user's sessions. If the user doesn't have it, this succeeds, too.
    public func endSession(id: UUID, of userID: UUID) async throws(PostgresError) {
        try await database.query(Sessions.endOwn, [.uuid(id), .uuid(userID)])
    }
}

extension Sessions {
    /// For after `Users.lock`: a transaction that disables the user, or takes the means away, comes
    /// before this one, or ends the session.
    ///
    /// - Parameter surplus: Chooses sessions that end besides those of a hundred.
    private static func open(
        _ name: String, columns: String = "", values: String = "", surplus: String = "",
        if condition: String
    ) -> Query<UUID> {
        Query(name, .write, column("id")) {
            """
            WITH pushed_out AS (
                DELETE FROM sessions WHERE id IN (
                    (SELECT id FROM sessions WHERE user_id = $1
                     ORDER BY seen_at DESC, id OFFSET 99)\(surplus))
            )
            INSERT INTO sessions (user_id, kind, token_hash, expires_at, family_hash, device, network
                                  \(columns))
            SELECT u.id, $2, $3, now() + least($4::integer, $5::integer) * interval '1 second',
                   $6::bytea, $7::text, $8::cidr \(values)
            FROM users u WHERE u.id = $1 AND u.disabled_at IS NULL AND EXISTS (\(condition))
            RETURNING \($0)
            """
        }
    }

    static let openByPassword = open(
        "open_session_by_password",
        if: "SELECT FROM passwords WHERE user_id = u.id AND hash = $9")

    static let openByIdentity = open(
        "open_session_by_identity",
        if: "SELECT FROM identities WHERE user_id = u.id AND (issuer, subject) = ($9, $10)")

    static let openByPasskey = open(
        "open_session_by_passkey",
        if: "SELECT FROM passkeys WHERE user_id = u.id AND id = $9")

    static let openForApp = open(
        "open_session_for_app", columns: ", app_id, scopes, code_binding",
        values: ", $9::uuid, $10::text[], $11::bytea",
        // An app that forgets its tokens must not end the sessions of others.
        surplus: """

            UNION ALL
            (SELECT id FROM sessions WHERE user_id = $1 AND app_id = $9::uuid
             ORDER BY seen_at DESC, id OFFSET 9)
            """,
        if: """
            SELECT FROM apps a, sessions s
            WHERE a.id = $9::uuid AND s.id = $12 AND s.user_id = u.id AND s.expires_at > now()
            FOR KEY SHARE OF a
            """)

    private static let browserSession = Columns(
        ["s.id"] + User.columns.expressions + NewsQueries.visit.expressions
    ) { row throws(PostgresError) in
        try BrowserSession(
            id: row.next(), user: row.next(User.columns), news: row.next(NewsQueries.visit))
    }

    /// The session, and whether its use is to be recorded.
    static let browser = Query(
        "browser_session", .read,
        columns(
            browserSession, column("s.seen_at < now() - interval '5 minutes'", Bool.self),
            Blocks.exist)
    ) {
        """
        SELECT \($0)
        FROM sessions s JOIN \(User.tables) ON u.id = s.user_id
        LEFT JOIN news_visits v ON v.user_id = u.id
        WHERE s.token_hash = $1 AND s.kind = 'browser' AND s.expires_at > now()
          AND u.disabled_at IS NULL
        """
    }

    static let touch = Statement(
        "touch_session", .write,
        """
        UPDATE sessions
        SET seen_at    = now(),
            expires_at = least(now() + $2::integer * interval '1 second',
                               created_at + $3::integer * interval '1 second')
        WHERE id = (SELECT id FROM sessions WHERE id = $1 AND expires_at > now()
                    FOR NO KEY UPDATE SKIP LOCKED)
          AND \(asynchronously)
        """)

    static let refresh = Query("refresh_session", .write, session) {
        """
        WITH s AS (
            UPDATE sessions s
            SET token_hash   = $2,
                seen_at      = now(),
                expires_at   = least(now() + $3::integer * interval '1 second',
                                     s.created_at + $4::integer * interval '1 second'),
                code_binding = NULL
            FROM users u
            WHERE s.family_hash = $5 AND s.token_hash = $1 AND s.expires_at > now()
              AND s.app_id IS NOT DISTINCT FROM $6::uuid
              AND s.code_binding IS NOT DISTINCT FROM $7::bytea
              AND u.id = s.user_id AND u.disabled_at IS NULL
            RETURNING s.id, s.user_id, s.scopes
        )
        SELECT \($0) FROM s JOIN \(User.tables) ON u.id = s.user_id
        """
    }

    /// A session whose current token is the successor of the presented one.
    static let refreshedJustNow = Query("refreshed_just_now", .read, session) {
        """
        SELECT \($0) FROM sessions s JOIN \(User.tables) ON u.id = s.user_id
        WHERE s.family_hash = $1 AND s.token_hash = $2 AND s.expires_at > now()
          AND s.seen_at > now() - $3::integer * interval '1 second' AND u.disabled_at IS NULL
          AND s.app_id IS NOT DISTINCT FROM $4::uuid
        """
    }

    static let endFamily = Query("end_session_of_family", .write, column("id", UUID.self)) {
        "DELETE FROM sessions WHERE family_hash = $1 RETURNING \($0)"
    }

    static let end = Statement(
        "end_session", .write, "DELETE FROM sessions WHERE id = $1")

    static let endOfApp = Statement(
        "end_session_of_app", .write,
        """
        DELETE FROM sessions
        WHERE (id = $2::uuid OR family_hash = $3::bytea) AND app_id = $1
        """)

    static let endByToken = Statement(
        "end_session_by_token", .write, "DELETE FROM sessions WHERE token_hash = $1")

    static let endAll = Statement(
        "end_sessions", .write,
        "DELETE FROM sessions WHERE user_id = $1")

    /// Of someone who is disabled, and of the apps that they have registered.
    static let endAllWithApps = Statement(
        "end_sessions_with_apps", .write,
        """
        WITH given AS (
            DELETE FROM sessions s USING apps a WHERE a.user_id = $1 AND s.app_id = a.id
        )
        DELETE FROM sessions WHERE user_id = $1
        """)

    static let endOwn = Statement(
        "end_own_session", .write, "DELETE FROM sessions WHERE id = $1 AND user_id = $2")
}

extension SessionLifetime {
    fileprivate var parameters: [PostgresParameter] {
        [.int(Int(idle.components.seconds)), .int(Int(absolute.components.seconds))]
    }
}

public import FaveGames
public import Foundation
public import Postgres

// Tokens that people make for their own programs.
extension Store {
    /// A user's tokens, the latest first. Expired tokens stay for some days.
    public func personalTokens(userID: UUID) async throws(PostgresError) -> [PersonalTokenRecord] {
        try await database.query(PersonalTokens.ofUser, [.uuid(userID)])
    }

    /// The user of a valid token, unless disabled, and the token's scopes. Records its use in the
    /// background, about every five minutes.
    public func personalBearer(
        tokenHash: [UInt8]
    ) async throws(PostgresError) -> (user: User, scopes: Set<TokenScope>)? {
        let found = try await database.query(PersonalTokens.bearer, [.bytes(tokenHash)])
        guard let (id, scopes, isUnnoted, user, hasBlocks) = found.first else { return nil }
        reads(for: user, with: id, hasBlocks: hasBlocks)
        if isUnnoted { database.pool.runInBackground(PersonalTokens.touch, [.uuid(id)]) }
        return (user, scopes)
    }
}

package enum PersonalTokens {
    package static let record = Columns<PersonalTokenRecord>(
        [
            "id", "name", "scopes", "created_at", "expires_at",
            "coalesce(expires_at <= now(), false)", "used_at",
        ]
    ) { row throws(PostgresError) in
        try PersonalTokenRecord(
            id: row.next(), name: row.next(), scopes: scopes(row.next()), createdAt: row.next(),
            expiresAt: row.next(), isExpired: row.next(), usedAt: row.next())
    }

    package static func scopes(_ names: [String]) -> Set<TokenScope> {
        Set(names.compactMap(TokenScope.init))
    }

    static let ofUser = Query("personal_tokens", .read, record) {
        """
        SELECT \($0) FROM personal_tokens WHERE user_id = $1
        ORDER BY created_at DESC, id LIMIT 100
        """
    }

    static let bearer = Query(
        "personal_bearer", .read,
        Columns<(UUID, Set<TokenScope>, Bool, User, Bool)>(
            [
                "t.id", "t.scopes",
                "coalesce(t.used_at < now() - interval '5 minutes', true)",
            ] + User.columns.expressions + Blocks.exist.expressions
        ) { row throws(PostgresError) in
            try (row.next(), scopes(row.next()), row.next(), row.next(User.columns), row.next())
        }
    ) {
        """
        SELECT \($0) FROM personal_tokens t JOIN \(User.tables) ON u.id = t.user_id
        WHERE t.token_hash = $1 AND (t.expires_at > now() OR t.expires_at IS NULL)
          AND u.disabled_at IS NULL
        """
    }

    static let touch = Statement(
        "touch_personal_token", .write,
        """
        UPDATE personal_tokens SET used_at = now()
        WHERE id = (SELECT id FROM personal_tokens WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)
          AND \(Sessions.asynchronously)
        """)
}

public import FaveGames
public import Foundation
public import Postgres
public import Storage

// Tokens that people make for their own programs.
extension Store {
    /// Makes a token.
    ///
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the token's secret part.
    ///   - days: How long the token is valid; `nil` until it is revoked.
    ///   - limit: The largest number of tokens that the user may have then, expired ones included.
    /// - Returns: `nil` if there would be too many.
    /// - Throws: `ConfirmationLapsedError`.
    public func makePersonalToken(
        tokenHash: [UInt8], name: String, scopes: Set<TokenScope>, days: Int?, limit: Int,
        confirmedBy confirmation: Confirmation
    ) async throws -> PersonalTokenRecord? {
        try await confirmed(by: confirmation, telling: .tokenAdded) { transaction in
            try await transaction.query(
                PersonalTokens.make,
                [
                    .uuid(confirmation.userID), .bytes(tokenHash), .text(name),
                    .texts(scopes.map(\.rawValue).sorted()), .int(days), .int(limit),
                ]
            ).first
        }
    }

    /// Revokes one of a user's tokens. If the user doesn't have it, this succeeds, too.
    public func revokePersonalToken(id: UUID, of userID: UUID) async throws(PostgresError) {
        try await database.query(PersonalTokens.revoke, [.uuid(id), .uuid(userID)])
    }
}

extension PersonalTokens {
    static let make = Query("make_personal_token", .write, record) {
        """
        INSERT INTO personal_tokens (user_id, token_hash, name, scopes, expires_at)
        SELECT u.id, $2, $3, $4::text[], now() + $5::integer * interval '1 day' FROM users u
        WHERE u.id = $1 AND (SELECT count(*) FROM personal_tokens WHERE user_id = $1) < $6
        RETURNING \($0)
        """
    }

    static let revoke = Statement(
        "revoke_personal_token", .write,
        """
        WITH revoked AS (
            DELETE FROM personal_tokens WHERE id = $1 AND user_id = $2 RETURNING user_id
        )
        INSERT INTO outgoing_mail (kind, user_id, subject)
        SELECT 'token-removed', user_id, address FROM mail_addresses JOIN revoked USING (user_id)
        """)
}

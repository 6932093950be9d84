public import FaveGames
public import Foundation
import Storage
import StorageWrites

// Tokens that people make for their own programs.
extension Accounts {
    /// Makes a token. It speaks for the user until it expires or is revoked, even after the session
    /// that made it has ended. So making one takes the password.
    ///
    /// - Parameters:
    ///   - days: How long the token is valid; `nil` until it is revoked.
    ///   - password: Must be correct if the account has a password.
    /// - Throws: `AccountError.tooManyTokens`, and what `confirm` throws;
    ///   `AccountError.changedMeanwhile`.
    public func makePersonalToken(
        of bearer: Bearer, name: TokenName, scopes: Set<TokenScope>, days: Int?, password: String,
        address: String
    ) async throws -> (token: PersonalToken, record: PersonalTokenRecord) {
        let token = PersonalToken()
        let record = try await write(confirm(bearer, password, from: address)) {
            try await store.makePersonalToken(
                tokenHash: token.hash, name: name.text, scopes: scopes, days: days,
                limit: PersonalToken.limit, confirmedBy: $0)
        }
        guard let record else { throw AccountError.tooManyTokens }
        return (token, record)
    }

    /// Revokes one of a user's tokens. If it doesn't exist, this succeeds, too.
    public func revokePersonalToken(_ id: UUID, of user: User) async throws {
        try await store.revokePersonalToken(id: id, of: user.id)
    }
}

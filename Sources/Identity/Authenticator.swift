import FaveGames
import Foundation
import Postgres
import Storage

/// Finds the user that a bearer token speaks for, and makes one for a subject never seen before.
public struct Authenticator: Sendable {
    private let verifier: TokenVerifier
    private let store: Store

    public init(verifier: TokenVerifier, store: Store) {
        self.verifier = verifier
        self.store = store
    }

    /// - Returns: `nil` if the token is not valid, or speaks for a user who is gone.
    public func user(bearerToken token: String) async throws(PostgresError) -> User? {
        guard let subject = await verifier.verify(token) else { return nil }
        if subject.issuer == SigningKey.issuer {
            guard let id = UUID(uuidString: subject.subject) else { return nil }
            return try await store.user(id: id)
        }
        if let user = try await store.user(issuer: subject.issuer, subject: subject.subject) {
            return user
        }
        return try await store.makeUser(
            issuer: subject.issuer, subject: subject.subject,
            displayName: DisplayName(subject.displayName ?? "")?.text
        ) { attempt in
            Username.suggestion(from: subject.suggestedName, attempt: attempt)
        }
    }
}

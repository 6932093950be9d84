import Foundation
import Logging

@testable import Identity

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

extension TokenVerifier {
    /// A verifier that reaches nothing.
    static func make(
        own: [SigningKey] = [], trusting keys: String? = nil
    ) async throws -> TokenVerifier {
        var issuers = [
            TrustedIssuer(
                issuer: SigningKey.issuer, audience: SigningKey.issuer,
                keys: KeySet(own.map(\.verificationKey)))
        ]
        if let keys {
            issuers.append(
                TrustedIssuer(
                    issuer: "https://issuer.example", audience: "fave",
                    keys: try KeySet(contents: keys), refusesIDTokens: true))
        }
        return TokenVerifier(issuers)
    }

    static func make(trusting keys: [TestKey]) async throws -> TokenVerifier {
        try await make(trusting: TestKey.set(keys))
    }

    /// Whether a token is good at the tests' time.
    func accepts(_ token: String) async -> Bool {
        await verify(token, now: Moment.now) != nil
    }
}

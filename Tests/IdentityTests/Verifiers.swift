import Foundation
import HTTPClient
import Identity
import Logging
import Sockets

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

extension TokenVerifier {
    /// A verifier that reaches nothing.
    static func make(
        own: [SigningKey] = [], trusting keys: String? = nil
    ) async throws -> TokenVerifier {
        let loop = try EventLoop(name: "test")
        defer { loop.stop() }
        let trusted = keys.map {
            TrustedIssuerConfiguration(
                issuer: "https://issuer.example", audience: "fave", keys: .contents($0))
        }
        return try await TokenVerifier(
            own: own, trusted: trusted.map { [$0] } ?? [], client: HTTPClient(on: loop), loop: loop,
            logger: .silent)
    }

    static func make(trusting keys: [TestKey]) async throws -> TokenVerifier {
        try await make(trusting: TestKey.set(keys))
    }

    /// Whether a token is good at the tests' time.
    func accepts(_ token: String) async -> Bool {
        await verify(token, now: Moment.now) != nil
    }
}

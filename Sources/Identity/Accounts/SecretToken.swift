import Crypto
import Foundation

/// 256 random bits that a client shows to be known again: a cookie's value, a refresh token.
///
/// Only its hash is stored: it holds too many bits to be guessed, so a plain digest will do.
public struct SecretToken: Sendable {
    private static let byteCount = 32

    private let bytes: [UInt8]

    public init() {
        // The system's generator, which is for cryptography.
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Reads what a client shows.
    ///
    /// - Returns: `nil` if it is not of the form.
    public init?(_ text: String) {
        guard text.utf8.count == 43, let data = Base64URL.decode(text.utf8),
            data.count == Self.byteCount
        else { return nil }
        bytes = Array(data)
    }

    /// What the client gets. Never to be logged.
    public var text: String { Base64URL.encode(bytes) }

    /// What is stored: SHA-256.
    public var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// Another secret that only those can tell who know this one.
    ///
    /// - Parameter purpose: Keeps what is derived for one thing from being good for another.
    public func derive(_ purpose: String) -> String {
        Base64URL.encode(authenticationCode(purpose))
    }

    /// Whether a text is what `derive` gave. Takes the same time for every text of a length.
    public func derives(_ purpose: String, is text: String) -> Bool {
        guard let data = Base64URL.decode(text.utf8) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            data, authenticating: Data(purpose.utf8), using: SymmetricKey(data: bytes))
    }

    private func authenticationCode(_ purpose: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(
            for: Data(purpose.utf8), using: SymmetricKey(data: bytes))
    }
}

import Crypto
import Encodings
import Foundation

/// 256 random bits that a client presents to be recognised, in a cookie or a refresh token.
///
/// Only the token's hash is stored. A plain digest is enough, because the token has too many bits
/// to be guessed.
public struct SecretToken: Sendable {
    private static let byteCount = 32

    let bytes: [UInt8]

    public init() {
        // The system's generator is fit for cryptography.
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Parses a token that a client presents.
    ///
    /// - Returns: `nil` if the text is malformed.
    public init?(_ text: String) {
        guard text.utf8.count == 43, let data = Base64URL.decode(text.utf8),
            data.count == Self.byteCount
        else { return nil }
        bytes = Array(data)
    }

    /// Another token, which only someone who knows this one and the key can compute.
    func successor(_ key: SymmetricKey) -> SecretToken {
        SecretToken(bytes: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)))
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The text that the client gets. It must never be logged.
    public var text: String { Base64URL.encode(bytes) }

    /// The token's SHA-256 digest, which is what the database stores.
    public var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// Another secret, which can be computed only from this one.
    ///
    /// - Parameter purpose: A secret that is derived for one purpose is invalid for any other.
    public func derive(_ purpose: String) -> String {
        // As a sequence, the code looks up its iterator for each byte.
        unsafe authenticationCode(purpose).withUnsafeBytes { unsafe Base64URL.encode($0) }
    }

    /// Whether a text is the secret that `derive` returns for a purpose. Takes the same time for
    /// all texts of the same length.
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

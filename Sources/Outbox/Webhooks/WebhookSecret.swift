import Crypto
import Foundation

/// The key that a webhook's sender and its receiver share, and the signatures that are made with it
/// (Standard Webhooks 1.0.0, https://www.standardwebhooks.com).
public struct WebhookSecret: Sendable {
    /// How many bytes a secret may have.
    static let lengths = 24...64
    private static let prefix = "whsec_"

    public let bytes: [UInt8]

    /// A new secret of 32 random bytes.
    public init() {
        // The system's generator is fit for cryptography.
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// - Returns: `nil` if there are too few bytes or too many.
    public init?(_ bytes: [UInt8]) {
        guard Self.lengths.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Parses a secret as `text` writes it.
    ///
    /// - Returns: `nil` if the text is malformed.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix),
            let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count)))
        else { return nil }
        self.init(Array(data))
    }

    /// The text that the receiver gets. It must never be logged.
    public var text: String { Self.prefix + Data(bytes).base64EncodedString() }

    /// The value of `webhook-signature`.
    ///
    /// - Parameters:
    ///   - id: The message's id, the same at each attempt.
    ///   - time: When the attempt is made, in seconds since 1970.
    public func signature(id: String, time: Int, body: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(id).\(time).".utf8) + body, using: SymmetricKey(data: bytes))
        return "v1," + Data(code).base64EncodedString()
    }
}

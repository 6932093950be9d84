package import Crypto
import Encodings
import Foundation

/// Signs texts that clients carry for us, so that only our own are accepted. A client can read them.
package struct Seal: Sendable {
    /// The first key signs. All of them verify.
    private let keys: [SymmetricKey]

    private static let tagLength = SHA256.byteCount
    private static let maximumLength = 4096

    /// - Parameter keys: The keys of one purpose. A text signed for one purpose must not be accepted for
    ///   another.
    package init(_ keys: [SymmetricKey]) {
        self.keys = keys
    }

    /// - Returns: Text that is safe in a query and in a cookie; `nil` if there is no key.
    package func seal(_ text: String) -> String? {
        guard let key = keys.first else { return nil }
        let text = Data(text.utf8)
        return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: text, using: key) + text)
    }

    /// - Returns: `nil` if the text is not one that `seal` made.
    package func open(_ text: String) -> String? {
        guard text.utf8.count <= Self.maximumLength, let data = Base64URL.decode(text.utf8),
            data.count > Self.tagLength
        else { return nil }
        let tag = data.prefix(Self.tagLength)
        let signed = data.dropFirst(Self.tagLength)
        let isOurs = keys.contains {
            HMAC<SHA256>.isValidAuthenticationCode(tag, authenticating: signed, using: $0)
        }
        return isOurs ? String(data: signed, encoding: .utf8) : nil
    }
}

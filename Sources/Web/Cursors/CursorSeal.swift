import Crypto
import Foundation
import Identity

/// Signs cursors, so that only our own are accepted. A made-up cursor could ask the database for
/// something that no page asks for.
struct CursorSeal: Sendable {
    /// The first key is the one that signs.
    private let keys: [SymmetricKey]

    private static let tagLength = SHA256.byteCount
    private static let maximumLength = 4096

    /// - Parameter keys: All known keys. A key stays known for a while after its rotation.
    init(_ keys: [SigningKey]) {
        self.keys = keys.map(\.cursorKey)
    }

    /// - Returns: `nil` if there is no key.
    func seal(_ cursor: some CursorCoding) -> String? {
        guard let key = keys.first else { return nil }
        let text = Data(cursor.text.utf8)
        return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: text, using: key) + text)
    }

    /// - Returns: `nil` if the text is not one that `seal` made, or is a cursor of another kind.
    func open<Cursor: CursorCoding>(_ text: String) -> Cursor? {
        guard text.utf8.count <= Self.maximumLength, let data = Base64URL.decode(text.utf8),
            data.count > Self.tagLength
        else { return nil }
        let tag = data.prefix(Self.tagLength)
        let signed = data.dropFirst(Self.tagLength)
        let isOurs = keys.contains {
            HMAC<SHA256>.isValidAuthenticationCode(tag, authenticating: signed, using: $0)
        }
        guard isOurs else { return nil }
        return String(data: signed, encoding: .utf8).flatMap { Cursor(text: $0) }
    }
}

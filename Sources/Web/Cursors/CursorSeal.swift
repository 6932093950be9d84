import Crypto
import Foundation
import Identity

/// Signs cursors, so that only those are taken that we gave: a cursor made up by someone could ask
/// the database for what no page asks.
struct CursorSeal: Sendable {
    /// The one to sign with first.
    private let keys: [SymmetricKey]

    private static let tagLength = SHA256.byteCount
    private static let maximumLength = 4096

    /// - Parameter keys: All that are known; they outlive their rotation by a while.
    init(_ keys: [SigningKey]) {
        self.keys = keys.map(\.cursorKey)
    }

    /// - Returns: `nil` if there is no key.
    func seal(_ cursor: some CursorCoding) -> String? {
        guard let key = keys.first else { return nil }
        let text = Data(cursor.text.utf8)
        return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: text, using: key) + text)
    }

    /// - Returns: `nil` if the text is not one that `seal` gave, or is of another kind.
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

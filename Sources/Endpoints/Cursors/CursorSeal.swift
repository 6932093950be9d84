package import Crypto
import Encodings
import Foundation

/// Encrypts cursors. A made-up cursor could ask the database for something that no page asks for, and
/// a cursor that clients could read would name people whom the page leaves out.
///
/// The nonce is derived from the cursor, so that equal pages have equal cursors: responses have entity
/// tags and are compared, and a random nonce would make each of them new. All that equal cursors reveal
/// is that they are equal. Cursors that differ have different nonces, as AES-GCM needs.
package struct CursorSeal: Sendable {
    package struct Key: Sendable {
        package let encryption: SymmetricKey
        /// What the nonces are derived with: nothing has been added to it but its key.
        package let nonces: HMAC<SHA256>

        package init(encryption: SymmetricKey, nonces: HMAC<SHA256>) {
            self.encryption = encryption
            self.nonces = nonces
        }
    }

    /// The first one encrypts.
    private let keys: [Key]

    private static let nonceLength = 12
    private static let tagLength = 16
    private static let maximumLength = 4096

    /// - Parameter keys: All known keys. A key stays known for a while after its rotation.
    package init(_ keys: [Key]) {
        self.keys = keys
    }

    /// - Returns: In characters that are safe in a query; `nil` if there is no key.
    package func seal<Cursor: CursorCoding>(_ cursor: Cursor) -> String? {
        guard let key = keys.first else { return nil }
        var nonce = key.nonces
        let text = Data(cursor.text.utf8)
        nonce.update(data: text)
        let box = try? AES.GCM.seal(
            text, using: key.encryption,
            nonce: AES.GCM.Nonce(data: Data(nonce.finalize().prefix(Self.nonceLength))),
            authenticating: Self.purpose(of: Cursor.self))
        return box?.combined.map { Base64URL.encode($0) }
    }

    /// - Returns: `nil` if the text is not one that `seal` made, or is a cursor of another kind.
    package func open<Cursor: CursorCoding>(_ text: String) -> Cursor? {
        guard text.utf8.count <= Self.maximumLength, let data = Base64URL.decode(text.utf8),
            data.count > Self.nonceLength + Self.tagLength,
            let box = try? AES.GCM.SealedBox(combined: data)
        else { return nil }
        for key in keys {
            let opened = try? AES.GCM.open(
                box, using: key.encryption, authenticating: Self.purpose(of: Cursor.self))
            if let opened {
                return String(data: opened, encoding: .utf8).flatMap { Cursor(text: $0) }
            }
        }
        return nil
    }

    private static func purpose<Cursor: CursorCoding>(of type: Cursor.Type) -> Data {
        Data("cursor \(type.letter)".utf8)
    }
}

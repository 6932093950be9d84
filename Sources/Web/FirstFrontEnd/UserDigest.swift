import Crypto
import Encodings
import Foundation

/// How the first front end identifies a user: 64 hexadecimal digits that reveal nothing about the
/// id.
struct UserDigest: Hashable, Sendable {
    let text: String

    /// - Returns: `nil` if the text is not 64 hexadecimal digits in lower case.
    init?(_ text: String) {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil }),
            text == text.lowercased()
        else { return nil }
        self.text = text
    }

    /// Makes the same digest as the database's function `user_digest`.
    init(of id: UUID) {
        let name = Array("fave-games user \(id.text)".utf8)
        text = Hexadecimal.encode(SHA256.hash(data: name))
    }
}

import Crypto
import Encodings
import FaveGames
import Foundation

/// How the first front end names a user: 64 hexadecimal digits that say nothing of the id.
struct UserDigest: Hashable, Sendable {
    let text: String

    /// - Returns: `nil` if it is not of the form.
    init?(_ text: String) {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil }),
            text == text.lowercased()
        else { return nil }
        self.text = text
    }

    /// The database's function of this name says the same.
    init(of id: UUID) {
        let name = Array("fave-games user \(id.uuidString.lowercased())".utf8)
        text = Hexadecimal.encode(SHA256.hash(data: name))
    }
}

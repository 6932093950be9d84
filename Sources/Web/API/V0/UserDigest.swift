import Crypto
import Encodings
import FaveGames
import Foundation
import HTTP

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

extension PathKey where Value == UserDigest {
    static var user: Self { Self(name: "user") { UserDigest($0) } }
}

extension Call {
    /// Finds something of the user of the path, as the caller may see it.
    ///
    /// A token is looked at only for what is not everybody's: one whose time is over must keep
    /// nobody from the rest.
    ///
    /// - Parameter find: Gets whose it is and who looks, if that is known.
    /// - Throws: 404 if there is nothing to see.
    func ofUser<Value>(
        _ find: (_ digest: String, _ viewer: UUID?) async throws -> Value?
    ) async throws -> Value {
        let digest = try path(.user).text
        if let value = try await find(digest, nil) { return value }
        guard request.headerFields[.authorization] != nil,
            let value = try await find(digest, user().id)
        else { throw Problem.notFound("There is no such user.") }
        return value
    }
}

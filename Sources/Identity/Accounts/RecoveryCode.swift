import Crypto
import FaveGames
import Foundation

/// A code of 80 random bits that its owner writes down, to get back in without the password. Each
/// code is valid once.
public struct RecoveryCode: Hashable, Sendable {
    /// How many codes a user gets at a time.
    public static let count = 10

    /// Crockford's base 32: no letters that look like digits.
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    private static let length = 16

    /// Four groups of four characters, with hyphens between them. It must never be logged.
    public let text: String

    public init() {
        var generator = SystemRandomNumberGenerator()
        let characters = (0..<Self.length).map { _ in
            Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &generator)]
        }
        self.init(characters)
    }

    /// Reads a code as people type or copy it: in capitals, with or without hyphens and white space, with
    /// "o" for zero and "i" or "l" for one.
    ///
    /// - Returns: `nil` if the text can't be a code.
    public init?(_ text: String) {
        guard text.utf8.count <= SecretLimits.recoveryCode else { return nil }
        let typed = text.lowercased().unicodeScalars.filter {
            $0.properties.generalCategory != .dashPunctuation && !$0.properties.isWhitespace
                && !$0.properties.isDefaultIgnorableCodePoint
        }
        let characters = String(String.UnicodeScalarView(typed)).map { character in
            switch character {
            case "o": Character("0")
            case "i", "l": Character("1")
            default: character
            }
        }
        guard characters.count == Self.length, characters.allSatisfy(Self.alphabet.contains) else {
            return nil
        }
        self.init(characters)
    }

    private init(_ characters: [Character]) {
        text = stride(from: 0, to: Self.length, by: 4)
            .map { String(characters[$0..<$0 + 4]) }.joined(separator: "-")
    }

    /// The form that the database stores. A plain digest is enough, because the code has too many
    /// bits to be guessed.
    func hash(for userID: UUID) -> [UInt8] {
        Array(SHA256.hash(data: Data("recovery\n\(userID.uuidString)\n\(text)".utf8)))
    }
}

import FaveGames
import Foundation

/// A new password that is hard enough to guess.
///
/// Follows NIST SP 800-63B section 5.1.1.2: a minimum length, no composition rules, and none of the
/// passwords that everyone tries first.
public struct NewPassword: Sendable {
    public static let lengths = SecretLimits.password

    public enum Weakness: Error, Hashable, Sendable {
        case tooShort
        case tooLong
        case sameAsUsername
        case common
    }

    let text: String

    /// - Parameter username: The name of the user whose password it will be.
    public init(_ text: String, for username: String) throws(Weakness) {
        guard text.unicodeScalars.count >= Self.lengths.lowerBound else { throw .tooShort }
        guard text.unicodeScalars.count <= Self.lengths.upperBound else { throw .tooLong }
        let folded = text.lowercased()
        guard folded != username, folded != String(username.reversed()) else {
            throw .sameAsUsername
        }
        guard !Self.isCommon(folded) else { throw .common }
        self.text = text
    }

    /// Whether a password is easy to guess. Digits and symbols at its ends, and the usual
    /// replacements of letters, do not make it harder.
    private static func isCommon(_ text: String) -> Bool {
        if Set(text.unicodeScalars).count < 4 { return true }
        let ends = CharacterSet.decimalDigits.union(.punctuationCharacters).union(.symbols)
        let core = text.trimmingCharacters(in: ends)
        let candidates = [text, core, plain(text), plain(core)]
        return candidates.contains { common.contains($0) } || isRun(text)
    }

    private static func plain(_ text: String) -> String {
        String(
            text.map { character in
                switch character {
                case "0": "o"
                case "1", "!": "i"
                case "3": "e"
                case "4", "@": "a"
                case "5", "$": "s"
                case "7": "t"
                default: character
                }
            })
    }

    /// Whether the characters form an ascending or descending run, such as "12345678" or
    /// "hgfedcba".
    private static func isRun(_ text: String) -> Bool {
        let values = text.unicodeScalars.map { Int($0.value) }
        let steps = Set(zip(values, values.dropFirst()).map { $1 - $0 })
        return steps == [1] || steps == [-1]
    }

    private static let common: Set<String> = [
        "1234567890", "123123123", "12341234", "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "aa123456",
        "abc12345", "abcd1234", "admin123", "administrator", "asdfasdf", "asdfghjk", "asdfghjkl",
        "baseball", "basketball", "changeme", "charlie", "chocolate", "computer", "dragon",
        "football", "g1thub", "iloveyou", "internet", "jennifer", "letmein", "liverpool",
        "manchester", "master", "michelle", "minecraft", "monkey", "mustang", "nintendo",
        "passpass", "passw0rd", "password", "passwort", "playstation", "pokemon", "princess",
        "q1w2e3r4", "qazwsxedc", "qwer1234", "qwerasdf", "qwerty", "qwertyui", "qwertyuiop",
        "qwertz", "qwertzui", "secret", "shadow", "starwars", "sunshine", "superman", "swordfish",
        "test1234", "testtest", "trustno", "trustno1", "victoria", "welcome", "whatever",
        "zaq12wsx", "zxcvbnm", "zxcvbnmn", "favegames", "fave-games", "videogames", "correcthorse",
        "correcthorsebatterystaple",
    ]
}

import Encodings

/// Replaces a missing picture: letters on one of a few colours.
public struct Placeholder: Hashable, Sendable {
    public static let hueCount = 8

    /// The initials of a person's first two words, or of a game's first three that are not as common
    /// as "the"; empty if the name has no letters or digits.
    public let initials: String
    /// From 0 to 7.
    public let hue: Int

    public init(_ game: Game) {
        let words = Self.words(game.name)
        let telling = words.filter {
            $0.utf8.count > Self.longestCommonWord || !Self.commonWords.contains($0.lowercased())
        }
        self.init((telling.isEmpty ? words : telling).prefix(3), number: game.id)
    }

    private static let commonWords: Set<String> = [
        "a", "an", "and", "at", "de", "der", "for", "in", "la", "le", "of", "on", "the", "to",
    ]

    private static let longestCommonWord = 3

    private static func words(_ name: String) -> [Substring] {
        name.split { character in
            // Looking up Unicode's properties takes many times as long.
            if let byte = character.asciiValue { return !byte.isASCIILetter && !byte.isASCIIDigit }
            return !character.isLetter && !character.isNumber
        }
    }

    public init(username: String, displayName: String) {
        // Any number will do, as long as it is always the same for a username.
        self.init(
            Self.words(displayName).prefix(2),
            number: username.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF })
    }

    private init(_ words: some Sequence<Substring>, number: Int) {
        initials = words.compactMap { $0.first.map { String($0).uppercased() } }.joined()
        hue = number % Self.hueCount
    }
}

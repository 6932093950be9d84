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
        self.init(
            initials: Self.initialsOfASCII(game.name.main, limit: 3, leavesOutCommonWords: true)
                ?? Self.initials(of: Self.tellingWords(game.name.main).prefix(3)),
            number: game.id)
    }

    public init(username: String, displayName: String) {
        self.init(
            initials: Self.initialsOfASCII(displayName, limit: 2)
                ?? Self.initials(of: Self.words(displayName).prefix(2)),
            // Any number will do, as long as it is always the same for a username.
            number: username.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF })
    }

    private init(initials: String, number: Int) {
        self.initials = initials
        hue = number % Self.hueCount
    }

    private static let commonWords: Set<String> = [
        "a", "an", "and", "at", "de", "der", "for", "in", "la", "le", "of", "on", "the", "to",
    ]

    private static let longestCommonWord = 3

    // MARK: By characters

    static func tellingWords(_ name: String) -> [Substring] {
        let words = words(name)
        let telling = words.filter {
            $0.utf8.count > longestCommonWord || !commonWords.contains($0.lowercased())
        }
        return telling.isEmpty ? words : telling
    }

    static func words(_ name: String) -> [Substring] {
        name.split { character in
            // Looking up Unicode's properties takes many times as long.
            if let byte = character.asciiValue { return !byte.isASCIILetterOrDigit }
            return !character.isLetter && !character.isNumber
        }
    }

    static func initials(of words: some Sequence<Substring>) -> String {
        words.compactMap { $0.first.map { String($0).uppercased() } }.joined()
    }

    // MARK: By bytes

    /// The same for a name in ASCII, as most are; `nil` for another name. Pages show dozens of
    /// covers, and characters take a hundred times as long.
    static func initialsOfASCII(
        _ name: String, limit: Int, leavesOutCommonWords: Bool = false
    ) -> String? {
        let bytes = name.utf8Span.span
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let initials = String(asciiCapacity: limit) { initials in
            var end = 0
            while !initials.isFull, let start = firstWord(in: bytes, from: end) {
                end = start
                while end < bytes.count, bytes[end].isASCIILetterOrDigit { end += 1 }
                if leavesOutCommonWords, isCommon(bytes.part(start, end)) { continue }
                let first = bytes[start]
                initials.append(first.isASCIILetter ? first & ~0x20 : first)
            }
        }
        guard leavesOutCommonWords, initials.isEmpty else { return initials }
        return initialsOfASCII(name, limit: limit)
    }

    private static func firstWord(in name: Span<UInt8>, from start: Int) -> Int? {
        (start..<name.count).first { name[$0].isASCIILetterOrDigit }
    }

    private static func isCommon(_ word: Span<UInt8>) -> Bool {
        word.count <= longestCommonWord
            && commonWords.contains(word.repairedText.lowercased())
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }
}

import Foundation
import TestSupport
import Testing

@Suite("The glossary in CONTRIBUTING.md")
struct GlossaryTests {
    /// The words in the last column of its table, in the form of identifiers.
    private static func formerWords() throws -> [String] {
        let text = try String(
            contentsOfFile: TestDatabase.repository + "/CONTRIBUTING.md", encoding: .utf8)
        let table = try #require(text.range(of: "| word | meaning | instead of |"))
        return text[table.upperBound...].split(separator: "\n").flatMap { row in
            (row.split(separator: "|").last ?? "").matches(of: /`([^`]+)`/).map { String($0.1) }
        }
    }

    /// A text in lower case, with `camelCase` as separate words, like `snake_case`.
    private static func spaced(_ text: String) -> String {
        var bytes: [UInt8] = []
        var previous: UInt8 = 0
        for byte in text.utf8 {
            let isCapital = (0x41...0x5A).contains(byte)
            if isCapital, (0x61...0x7A).contains(previous) { bytes.append(0x20) }
            bytes.append(isCapital ? byte + 0x20 : byte == 0x5F ? 0x20 : byte)
            previous = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a spaced text has the word, or its plural.
    private static func has(_ word: String, in text: String) -> Bool {
        var rest = text[...]
        while let found = rest.range(of: word) {
            let before = text[..<found.lowerBound].last
            let after = text[found.upperBound...]
            let end = after.first == "s" ? after.dropFirst().first : after.first
            if before?.isLetter != true, end?.isLetter != true { return true }
            rest = text[found.upperBound...]
        }
        return false
    }

    @Test("has no word that is still used in its former meaning")
    func words() throws {
        let words = try Self.formerWords().map(Self.spaced)
        #expect(words.count >= 10)
        for folder in ["Sources", "Views", "Migrations"] {
            let root = TestDatabase.repository + "/" + folder
            let paths = try #require(FileManager.default.enumerator(atPath: root))
                .compactMap { $0 as? String }
                .filter { path in [".swift", ".html", ".sql"].contains { path.hasSuffix($0) } }
            #expect(!paths.isEmpty)
            for path in paths {
                let text = Self.spaced(
                    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
                for word in words where Self.has(word, in: text) {
                    Issue.record("\(folder)/\(path) says “\(word)”")
                }
            }
        }
    }

    @Test("finds a former word in any form")
    func forms() {
        for form in ["blockedWord", "isBlockedWord()", "a blocked word,", "BLOCKED_WORDS"] {
            #expect(Self.has("blocked word", in: Self.spaced(form)), "\(form)")
        }
        for other in ["a blocked wordsmith", "unblockedWord"] {
            #expect(!Self.has("blocked word", in: Self.spaced(other)), "\(other)")
        }
    }
}

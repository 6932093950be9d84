import Testing

@testable import FaveGames

@Suite("A tag")
struct TagTests {
    @Test(
        "is folded to one form",
        arguments: [
            ("Story", "story"), ("  Pixel   Art ", "pixel art"), ("#Co-op", "co-op"),
            ("É", "é"), ("E\u{301}", "é"), ("日本", "日本"), ("🎮", "🎮"), ("2D", "2d"),
            ("a\u{202E}b", "ab"), ("tab\there", "tab here"), ("\u{200B}a\u{FEFF}", "a"),
        ])
    func folded(text: String, tag: String) {
        #expect(Tag(text)?.text == tag)
    }

    @Test(
        "is not everything",
        arguments: [
            "", " ", "#", "##a", "a,b", "a#b", "—", "\u{200B}", "\u{3164}", "#\u{2800}",
            "a#\u{301}b", "a,\u{301}b",
            "##\u{FE0F}\u{20E3}", String(repeating: "x", count: 31),
        ])
    func refused(text: String) { #expect(Tag(text) == nil) }

    @Test("stands once, beside at most four others, in the owner's order")
    func several() throws {
        #expect(try Tags(commaSeparated: "b, A,, b ,a, c").texts == ["b", "a", "c"])
        #expect(try Tags(commaSeparated: " , ,\u{200B},\u{3164} ").texts == [])
        #expect(try Tags(commaSeparated: "a,\u{301}b").texts == ["a", "\u{301}b"])
        #expect(try Tags((1...5).map { "t\($0)" }).texts.count == 5)
        #expect(throws: Tags.Fault.tooMany) { try Tags((1...6).map { "t\($0)" }) }
        #expect(throws: Tags.Fault.notATag("--")) {
            try Tags(commaSeparated: "ok, --".replacing(" ", with: ""))
        }
    }
}

@Suite("A rating")
struct RatingTests {
    @Test("is from 1 to 5")
    func range() {
        #expect((-1...7).compactMap(Rating.init).map(\.value) == [1, 2, 3, 4, 5])
    }
}

@Suite("A movement")
struct MovementTests {
    @Test("counts the places since then")
    func places() {
        #expect(Movement(from: 5, to: 2) == .up(3))
        #expect(Movement(from: 2, to: 5) == .down(3))
        #expect(Movement(from: 2, to: 2) == .same)
        #expect(Movement(from: nil, to: 2) == .new)
    }
}

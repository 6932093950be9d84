import Testing

@testable import FaveGames

@Suite("A bio")
struct BioTests {
    @Test("is one line, whatever was typed")
    func oneLine() {
        #expect(Bio("  I play\n\tgames.\r\n\r\nA lot. ")?.text == "I play games. A lot.")
        #expect(Bio("a\u{0}b\u{85}c\u{2028}d\u{7F}e")?.text == "a b c d e")
        #expect(Bio("山田です。 🎮")?.text == "山田です。 🎮")
    }

    @Test("may be empty", arguments: ["", " ", "\n\t\u{0}", "\u{202E}\u{2069}"])
    func empty(text: String) {
        #expect(Bio(text)?.text == "")
    }

    @Test("cannot turn the direction of the text around it")
    func direction() {
        for override in "\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}"
            .unicodeScalars
        {
            #expect(Bio("ro\(override)b")?.text == "rob")
        }
    }

    @Test("has at most three hundred characters, counted as PostgreSQL does, after cleaning")
    func limit() {
        let longest = String(repeating: "é", count: 300)
        #expect(Bio(longest)?.text == longest)
        #expect(Bio(" \n" + longest + "\u{202E} ")?.text == longest)
        #expect(Bio(longest + "é") == nil)
        #expect(Bio("e" + String(repeating: "\u{301}", count: 300)) == nil)
        #expect(Bio("a" + String(repeating: " ", count: 1000) + "b")?.text == "a b")
    }
}

/// What all that stands on one line has in common.
@Suite("Text on one line")
struct OneLineTests {
    /// The text as each of its kinds has it.
    private func texts(_ text: String) -> Set<String?> {
        [DisplayName(text)?.text, Bio(text)?.text, SearchText(text)?.text]
    }

    @Test(
        "has single blanks for white space and control characters, and none at its ends",
        arguments: [
            "\u{9}", "\u{A}", "\u{B}", "\u{C}", "\u{D}", "\u{85}", "\u{A0}", "\u{1680}", "\u{2003}",
            "\u{2028}", "\u{2029}", "\u{202F}", "\u{3000}", "\u{0}", "\u{1B}", "\u{9F}", "\r\n",
        ])
    func whiteSpace(space: String) {
        #expect(texts("\(space)a\(space)\(space)b\(space)") == ["a b"])
    }

    @Test("lets what turns the direction go, and joins what was around it")
    func direction() {
        #expect(texts("a\u{202E}b \u{2066} c") == ["ab c"])
    }

    @Test("is the same when it is cleaned again")
    func again() {
        var generator = Numbers(seed: 23)
        let scalars = Array("ab \n\t\u{0}\u{202E}\u{2066}\u{200D}\u{301}é山🎮\u{A0}".unicodeScalars)
        for _ in 0..<2000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                text.append(scalars[Int.random(in: 0..<scalars.count, using: &generator)])
            }
            let once = OneLine.clean(String(text))
            #expect(OneLine.clean(once).unicodeScalars.elementsEqual(once.unicodeScalars))
            #expect(!once.hasPrefix(" ") && !once.hasSuffix(" ") && !once.contains("  "))
        }
    }

    /// Invisible in different ways: white space, format, filler, mark, Braille, private use, tag.
    private static let invisible = [
        "", " ", "\u{200B}", "\u{3164}", "\u{115F}", "\u{2800}", "\u{FEFF}\n\u{200E}", "\u{E000}",
        "\u{301}", "\u{E0041}", "\u{FE0F}", "\u{AD}\u{A0}\u{2060}",
    ]

    @Test("is empty for everyone if no one can see any of it", arguments: invisible)
    func empty(text: String) throws {
        #expect(DisplayName(text) == nil)
        #expect(CircleName(text) == nil)
        #expect(SnapshotTitle(text) == nil)
        #expect(TokenName(text) == nil)
        #expect(Tag(text) == nil)
        #expect(try Tags([text]).texts == [])
        #expect(Bio(text)?.text == "")
        #expect(CircleDescription(text)?.text == "")
        #expect(ModerationNote(text)?.text == "")
        #expect(try Comment(text).text == "")
        #expect(try Comment("\n\(text) \(text)\t").text == "")
        #expect(try Comment(text + "x").text.hasSuffix("x"))
    }
}

import Testing

@testable import FaveGames

@Suite("A search text")
struct SearchTextTests {
    @Test("has single spaces between its words, and none around")
    func spaces() {
        #expect(SearchText("  elden \u{A0}\n ring\t")?.text == "elden ring")
    }

    @Test("has nothing invisible around it")
    func invisible() {
        #expect(SearchText("\u{200B}rob\u{FEFF} ")?.text == "rob")
        #expect(SearchText("\u{200B} \u{2800}") == nil)
        #expect(SearchText("🏴\u{E0067}\u{E007F}")?.text == "🏴\u{E0067}\u{E007F}")
        #expect(SearchText("❤\u{FE0F}")?.text == "❤\u{FE0F}")
    }

    @Test("of people has no @ before a name")
    func people() {
        #expect(SearchText(" @rob")?.ofPeople.text == "rob")
        #expect(SearchText("rob@x")?.ofPeople.text == "rob@x")
        #expect(SearchText("@")?.ofPeople.text == "@")
    }

    @Test("has no control characters")
    func controls() {
        #expect(SearchText("a\u{0}b\u{7F}\u{1}c")?.text == "a b c")
    }

    @Test("has one to a hundred characters", arguments: ["", "   ", "\u{0}", "\u{3000}\n"])
    func nothing(text: String) {
        #expect(SearchText(text) == nil)
    }

    @Test("is refused when longer than a hundred characters after cleaning")
    func limit() {
        let longest = String(repeating: "é", count: 100)
        #expect(SearchText(" " + longest + " ")?.text == longest)
        #expect(SearchText(longest + "a") == nil)
        #expect(SearchText("e" + String(repeating: "\u{301}", count: 100)) == nil)
    }

    @Test(
        "is short without three letters or digits in a row",
        arguments: [
            ("ab", true), ("é", true), ("a-b c", true), ("%%%%", true), ("abc", false),
            ("a b2c", false), ("日本語", false), ("a' 123", false),
        ])
    func short(text: String, isShort: Bool) throws {
        #expect(try #require(SearchText(text)).isShort == isShort)
    }
}

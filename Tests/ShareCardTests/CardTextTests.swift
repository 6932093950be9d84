import Testing

@testable import ShareCard

@Suite("The text of a card")
struct CardTextTests {
    @Test(
        "stays as it is if it is ordinary",
        arguments: [
            "Portal", "", "Pokémon", "Poke\u{301}mon", "ệ", "e\u{323}\u{302}", "שָׁלוֹם", "नमस्ते",
            "👩‍👩‍👧‍👦", "R&D <Tag>",
        ])
    func ordinary(text: String) {
        #expect(Array(CardText.clean(text).unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test("has no control characters and nothing that turns its surroundings")
    func controls() {
        let controls = String(String.UnicodeScalarView((0...0x9F).compactMap(Unicode.Scalar.init)))
        let clean = CardText.clean("a" + controls + "\u{202E}b\u{2066}c\u{2069}")
        #expect(!clean.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(clean.hasSuffix("~ bc"))
    }

    @Test("keeps four marks on a letter")
    func marks() {
        let text = "Z" + String(repeating: "\u{301}", count: 50) + "a\u{489}"
        #expect(
            Array(CardText.clean(text).unicodeScalars)
                == Array("Z\u{301}\u{301}\u{301}\u{301}a\u{489}".unicodeScalars))
    }

    @Test("joins no more than five characters into one")
    func joiners() {
        let women = String(repeating: "👩\u{200D}", count: 20)
        #expect(CardText.clean(women).map(\.unicodeScalars.count) == [9, 9, 9, 9])
        let hearts = "👩🏽\u{200D}❤️\u{200D}💋\u{200D}👩🏽"
        #expect(CardText.clean(hearts + hearts) == hearts + hearts)
    }

    @Test("is cut after a word, if it has several")
    func words() {
        #expect(CardText.clean("one hand on the pause button", limit: 18) == "one hand on the…")
        #expect(CardText.clean("one hand, on", limit: 10) == "one hand…")
        #expect(CardText.clean("超级马力欧兄弟", limit: 3) == "超级…")
    }

    @Test("is cut where no card has place for more, and says so")
    func length() {
        let full = String(repeating: "x", count: CardText.limit)
        #expect(CardText.clean(full) == full)
        #expect(CardText.clean(full + "y") == full + "…")
        #expect(CardText.clean(String(repeating: "x", count: 1_000_000)) == full + "…")
        let marks = CardText.clean("a" + String(repeating: "\u{301}", count: 1_000_000))
        #expect(marks.unicodeScalars.count == 5)
    }

    @Test("is quoted whole if it is short, or up to the end of a sentence")
    func quotes() {
        let short = String(repeating: "x", count: 140)
        #expect(CardText.quote(short) == short)
        let first = "I sat by the fire at the end and did not want to leave."
        let second = "No game has ever made me feel so small!"
        let rest = String(repeating: " And so on", count: 20)
        #expect(CardText.quote("\(first) \(second)\(rest).") == "\(first) \(second)")
        #expect(CardText.quote(first + rest) == first)
        let japanese = "最後に焚き火のそばに座って、帰りたくないと思ったのは初めてで、今でもよく思い出す。"
        #expect(CardText.quote(japanese + String(repeating: "長", count: 140)) == japanese)
        // A point within a number or after an abbreviation ends no sentence.
        let numbers = "Mr. X" + String(repeating: " of version 3.5", count: 20)
        #expect(CardText.quote(numbers) == numbers)
        #expect(CardText.quote("") == "")
    }
}

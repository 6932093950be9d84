import Testing

@testable import FaveGames

@Suite("A comment")
struct CommentTests {
    @Test(
        "has every kind of line end as one line feed",
        arguments: [
            ("a\r\nb", "a\nb"), ("a\rb", "a\nb"), ("a\nb", "a\nb"), ("a\r\n\r\nb", "a\n\nb"),
            ("a\n\rb", "a\n\nb"), ("a\r\rb", "a\n\nb"), ("a\u{2028}b\u{2029}c", "a\nb\nc"),
        ])
    func lineEnds(typed: String, stored: String) throws {
        let comment = try Comment(typed)
        // Compared as scalars: to Swift "\r\n" is one character.
        #expect(Array(comment.text.unicodeScalars) == Array(stored.unicodeScalars))
    }

    @Test("loses control characters, and has a space for a tab")
    func controls() throws {
        #expect(try Comment("a\u{0}b\u{7}c\u{1B}d\u{7F}e\u{85}f").text == "abcdef")
        #expect(try Comment("a\tb").text == "a b")
    }

    @Test("loses white space at its ends, and keeps it inside")
    func trimming() throws {
        #expect(try Comment(" \n\t\u{A0}a  b\n\n c \u{3000}\r\n").text == "a  b\n\n c")
    }

    @Test(
        "that says nothing is empty",
        arguments: ["", " ", "\r\n\t", "\u{0}\u{1}", "\u{2028}\u{3000}"])
    func nothing(typed: String) throws {
        #expect(try Comment(typed) == .empty)
    }

    @Test("keeps other scripts, emoji and marks as they are")
    func unicode() throws {
        let text = "最高! שלום e\u{301} 👩‍👩‍👧 \u{200F}"
        #expect(try Array(Comment(text).text.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test("may have a thousand characters, as PostgreSQL counts them, and no more")
    func limit() throws {
        #expect(
            try Comment(String(repeating: "é", count: 1000)).text.unicodeScalars.count == 1000)
        #expect(throws: ListError.commentTooLong(characters: 1001)) {
            try Comment(String(repeating: "a", count: 1001))
        }
        // Five hundred that a reader sees, a thousand and two that are stored.
        let marked = String(repeating: "e\u{301}", count: 501)
        #expect(marked.count == 501)
        #expect(throws: ListError.commentTooLong(characters: 1002)) { try Comment(marked) }
        // One that a reader sees.
        #expect(throws: ListError.commentTooLong(characters: 1001)) {
            try Comment("a" + String(repeating: "\u{301}", count: 1000))
        }
    }

    @Test("is measured after cleaning")
    func limitAfterCleaning() throws {
        let text = String(repeating: "a\r\n", count: 499) + "aa"
        #expect(try Comment("   " + text + "\u{0}\u{0}   ").text.unicodeScalars.count == 1000)
    }

    @Test("is not changed by being cleaned again")
    func idempotence() throws {
        var generator = Numbers(seed: 7)
        let pieces = ["\r", "\n", "\t", "\u{2028}", "\u{0}", " ", "a", "\u{301}", "\u{85}", "ש"]
        for _ in 0..<2000 {
            let typed = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            let once = try Comment(typed)
            #expect(try Comment(once.text) == once)
        }
    }
}

import FaveGames
import Testing

@Suite("A list of refused words")
struct RefusedWordsTests {
    private static let list = RefusedWords(["Pills", "casino", "buy now", "example.com", "ÉCLAIR"])

    @Test(
        "finds words, phrases and domains, however they are written",
        arguments: [
            ("My pills are great", "pills"), ("PILLS!", "pills"), ("p\u{AD}ills", "pills"),
            ("ｐｉｌｌｓ", "pills"), ("buy_pills", "pills"), ("it’s a Cásino.", "casino"),
            ("Buy  now!", "buy now"), ("Eclair", "eclair"),
            ("see example.com", "example.com"), ("https://www.Example.COM/x", "example.com"),
            ("example.com.", "example.com"), ("(a.b.example.com)", "example.com"),
            ("example\u{3002}com", "example.com"),
            ("a\u{FF61}example\u{FF0E}com", "example.com"),
            ("pi\u{20DD}lls", "pills"), ("p\u{488}ills", "pills"), ("buy buy now", "buy now"),
        ])
    func found(text: String, item: String) {
        #expect(Self.list.first(in: text) == item)
    }

    @Test(
        "leaves other texts alone",
        arguments: [
            "", "spills", "pillsbury", "casinos", "buy it now", "nowbuy", "myexample.com",
            "example.com.evil.example", "example company", "exampleXcom", "Half-Life 2",
        ])
    func other(text: String) {
        #expect(Self.list.first(in: text) == nil)
    }

    @Test("counts its items")
    func count() {
        #expect(RefusedWords().count == 0)
        #expect(RefusedWords(parsing: "pills, buy now,\n,bad.example\n*,pills")?.count == 4)
    }

    @Test("reads domains that are written as addresses or patterns, and knows all capitals")
    func spellings() {
        let list = RefusedWords(
            parsing: "https://bad.example/,*.worse.example,third.example/x,Λόγος,straße")
        for text in [
            "a.bad.example", "worse.example", "third.example", "ΛΟΓΟΣ", "λογοσ", "STRASSE",
        ] {
            #expect(list?.first(in: text) != nil, "\(text)")
        }
    }

    @Test("finds the shortest of the phrases that begin alike")
    func beginnings() {
        let list = RefusedWords(["buy now", "buy now or never", "buy cheap pills today"])
        #expect(list.first(in: "buy now or never") == "buy now")
        #expect(list.first(in: "buy cheap pills today!") == "buy cheap pills today")
        #expect(list.first(in: "buy cheap pills") == nil)
    }

    @Test("is read from lines and commas, and has a bound")
    func parsing() {
        let list = RefusedWords(parsing: " pills ,buy now\ncasino\r\n\n,,example.com")
        for text in ["pills", "buy now", "casino", "example.com"] {
            #expect(list?.first(in: text) == text)
        }
        #expect(RefusedWords(parsing: "")?.first(in: "anything") == nil)
        #expect(RefusedWords(parsing: ". , !")?.first(in: "and so on ... !") == nil)
        let many = (0...RefusedWords.limit).map { "w\($0)" }.joined(separator: ",")
        #expect(RefusedWords(parsing: many) == nil)
        let word = String(repeating: "w", count: RefusedWords.itemLimit)
        #expect(RefusedWords(parsing: word)?.first(in: word) == word)
        #expect(RefusedWords(parsing: word + "w") == nil)
    }
}

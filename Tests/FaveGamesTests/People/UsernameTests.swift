import Testing

@testable import FaveGames

@Suite("A username")
struct UsernameTests {
    @Test(
        "is two to thirty small letters, digits, hyphens and underscores",
        arguments: ["ab", "rob", "r_o-b", "007", "--", "a23456789012345678901234567890"])
    func form(text: String) {
        #expect(Username(text)?.description == text)
    }

    @Test("is taken in small letters however it is typed")
    func capitals() {
        #expect(Username("RoB-X")?.description == "rob-x")
        #expect(Username("RoB-X") == Username("rob-x"))
    }

    @Test(
        "is found in what is typed or copied, without what is around it",
        arguments: [
            "rob ", " rob", "@rob", " @rob\t", "@ rob", "rob\n", "\u{A0}rob\u{3000}",
            "\u{200B}rob\u{FEFF}", "\u{2068}@rob\u{2069}", "\u{200E}@\u{200B}rob\u{AD}",
            "@" + "\u{2060}ROB\r\n",
        ])
    func around(text: String) {
        #expect(Username(text)?.description == "rob")
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "a", "a234567890123456789012345678901", "ro b", "rob!", "röb", "rob.", "@@rob",
            "@", "rob@", "ro\u{200B}b", "@\u{301}rob", "rob/x",
            "ro\u{301}b", "роб", "r\u{212A}b", "r\0b", "\0rob", "٣٤",
        ])
    func refusals(text: String) {
        #expect(Username(text) == nil)
    }

    @Test(
        "may be well formed and yet reserved",
        arguments: ["admin", "API", "me", "sign-in", "users", "www", "favicon", "well-known"])
    func reserved(text: String) throws {
        #expect(try #require(Username(text)).isReserved)
    }

    @Test("is free for everybody else", arguments: ["rob", "admins", "me2", "my-list"])
    func unreserved(text: String) throws {
        #expect(try #require(Username(text)).isReserved == false)
    }
}

@Suite("A suggested username")
struct UsernameSuggestionTests {
    @Test(
        "comes from whatever an identity provider says",
        arguments: [
            ("Rob", "rob"), ("Rob Smith", "rob-smith"), ("rob.smith@mail.example", "rob-smith"),
            ("ROB@A@B", "rob"), ("Zoë  O’Hara", "zoe-o-hara"), ("  rob  ", "rob"),
            ("rob!!!", "rob"), ("a/../b", "a-b"), ("<script>", "script"),
            ("under_score", "under_score"),
        ])
    func names(text: String, username: String) {
        #expect(Username.suggestion(from: text, attempt: 0).description == username)
    }

    @Test(
        "is player where nothing can be used",
        arguments: [nil, "", "@", "😀", "日本語", "a", "…", " \n "])
    func nothing(text: String?) {
        #expect(Username.suggestion(from: text, attempt: 0).description == "player")
        #expect(Username.suggestion(from: text, attempt: 1).description == "player-2")
    }

    @Test("is another for each attempt")
    func attempts() {
        let names = (0..<50).map { Username.suggestion(from: "Rob", attempt: $0).description }
        #expect(names.prefix(3) == ["rob", "rob-2", "rob-3"])
        #expect(Set(names).count == names.count)
    }

    @Test("leaves room for the attempt's number within thirty characters")
    func cut() {
        let long = String(repeating: "x", count: 80)
        #expect(
            Username.suggestion(from: long, attempt: 0).description
                == String(repeating: "x", count: 30))
        #expect(
            Username.suggestion(from: long, attempt: 998_999).description
                == String(repeating: "x", count: 23) + "-999000")
        #expect(
            Username.suggestion(from: long, attempt: 0)
                != Username.suggestion(from: long, attempt: 1))
    }

    @Test(
        "has the basic letters for those of a name",
        arguments: [
            ("Zoë.Müller", "zoe-muller"), ("Zoe\u{308} Mu\u{308}ller", "zoe-muller"),
            ("Łukasz Øre", "lukasz-ore"), ("Straße", "strasse"), ("Иван Петров", "ivan-petrov"),
            ("ｒｏｂ", "rob"), ("İbrahim", "ibrahim"), ("@Rob", "rob"), ("ぜるだ", "zeruda"),
            ("佐藤", "player"), ("佐藤 kun", "kun"), ("zoë@müller.example", "zoe"),
        ])
    func letters(text: String, expected: String) {
        #expect(Username.suggestion(from: text, attempt: 0).description == expected)
        #expect(Username.isSuggested(by: text) == (expected != "player"))
    }

    @Test(
        "is never a reserved one",
        arguments: ["admin", "Admin@here.example", "API", "Sign in", "me"])
    func reserved(text: String) {
        let name = Username.suggestion(from: text, attempt: 0)
        #expect(!name.isReserved)
        #expect(name.description == "player")
    }

    @Test("is always of the form, whatever the text")
    func anyText() {
        var generator = Numbers(seed: 11)
        for _ in 0..<3000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let limit: UInt32 = Bool.random(using: &generator) ? 0x7F : 0x1F9FF
                if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) {
                    text.append(scalar)
                }
            }
            let attempt = Int.random(in: 0...999_999, using: &generator)
            let name = Username.suggestion(from: String(text), attempt: attempt)
            #expect(Username(name.description) == name)
            #expect(!name.isReserved)
        }
    }
}

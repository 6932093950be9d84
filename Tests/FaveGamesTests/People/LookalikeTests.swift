import Testing

@testable import FaveGames

@Suite("What a username looks like")
struct LookalikeTests {
    @Test(
        "is the same for names that are taken for each other",
        arguments: [
            ("rob", "r0b"), ("alice_1", "alice-l"), ("arnold", "amold"), ("vvv", "wv"),
            ("warner", "vvamer"), ("l00k", "1ook"), ("a-b_c", "a_b-c"), ("bam", "barn"),
        ])
    func same(first: String, second: String) throws {
        #expect(
            try #require(Username(first)).lookalike == #require(Username(second)).lookalike)
    }

    @Test(
        "is another for names that are told apart",
        arguments: [
            ("rob", "bob"), ("rob", "robb"), ("ab", "a-b"), ("a-b", "a--b"), ("nr", "m"),
            ("vw", "wv"), ("il", "ii"), ("rob2", "robz"),
        ])
    func different(first: String, second: String) {
        // "m" alone is no username.
        let names = [first, second].map { Username($0.count < 2 ? $0 + "x" : $0)?.lookalike }
        #expect(names[0] != names[1])
    }

    @Test("is the same however it is typed")
    func capitals() {
        #expect(Username("ARNOLD")?.lookalike == "amold")
        #expect(Username("R0B")?.lookalike == "rob")
    }

    @Test(
        "decides what is reserved, too",
        arguments: [
            "adrnin", "ADRNIN", "r00t", "sign_in", "sign_up", "1ogin", "we11-known",
            "well_known", "wvvw", "vvvvvv", "supp0rt", "garne", "garnes", "p1atforms",
            "ad-min", "rne", "m0derat0r", "api",
        ])
    func reserved(text: String) throws {
        let name = try #require(Username(text))
        #expect(name.isReserved == (text != "ad-min"))
    }

    @Test("makes no suggestion reserved", arguments: ["Adrnin", "r00t@example.com", "Sign_In"])
    func suggestions(text: String) {
        #expect(Username.suggestion(from: text, attempt: 0).description == "player")
    }
}

import Testing

@testable import FaveGames

@Suite("A number in a path")
struct GameIDTests {
    @Test("is decimal digits within PostgreSQL's integer")
    func valid() {
        #expect(GameID.parse("1") == 1)
        #expect(GameID.parse("48") == 48)
        #expect(GameID.parse("2147483647") == 2_147_483_647)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "0", "00", "01", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "2147483648",
            "9999999999", "99999999999", "18446744073709551617", "١٢", "１", "1\u{301}", "abc",
            "1\0",
        ])
    func invalid(text: String) {
        #expect(GameID.parse(text) == nil)
    }
}

@Suite("A reference to a platform")
struct PlatformReferenceTests {
    @Test("is an id if it is a number")
    func id() {
        #expect(PlatformReference("48") == .id(48))
        #expect(PlatformReference("2147483647") == .id(2_147_483_647))
    }

    @Test(
        "is a slug if it has letters",
        arguments: ["ps4--1", "switch", "3do", "series-x-s", "a"])
    func slug(text: String) {
        #expect(PlatformReference(text) == .slug(text))
    }

    @Test("is at most 64 characters long")
    func length() {
        let longest = String(repeating: "a", count: 64)
        #expect(PlatformReference(longest) == .slug(longest))
        #expect(PlatformReference(longest + "a") == nil)
    }

    @Test(
        "is nothing else",
        arguments: ["", "PS4", "ps 4", "ps4/", "ps_4", "é", "ps4\u{301}", "a.b", "+1", "%31"])
    func invalid(text: String) {
        #expect(PlatformReference(text) == nil)
    }
}

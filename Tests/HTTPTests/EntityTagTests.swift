import Testing

@testable import HTTP

@Suite("An entity tag")
struct EntityTagTests {
    @Test("is read and written", arguments: ["\"\"", "\"a\"", "W/\"a\"", "\"xyz,zzy\"", "\"é\\\""])
    func roundTrip(text: String) throws {
        #expect(try #require(EntityTag(parsing: text)).description == text)
    }

    @Test(
        "that is malformed is none",
        arguments: [
            "", "a", "\"", "\"a", "a\"", "w/\"a\"", "W\"a\"", "W/a", "\"a b\"", "\"a\"b",
            "\"a\u{7F}\"", "'a'", "\"a\"\"",
        ])
    func malformed(text: String) {
        #expect(EntityTag(parsing: text) == nil)
    }

    @Test("is made of what may stand in it, or of a digest")
    func making() {
        #expect(EntityTag(opaque: "a")?.description == "\"a\"")
        #expect(EntityTag(opaque: "a\"b") == nil)
        #expect(EntityTag(opaque: "a\r\n") == nil)
        #expect(EntityTag(hexadecimal: [0, 0xAB, 9], isWeak: true).description == "W/\"00ab09\"")
    }

    @Test("compares as in RFC 9110's table")
    func comparison() throws {
        let rows: [(String, String, Bool, Bool)] = [
            ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
        ]
        for (left, right, strong, weak) in rows {
            let left = try #require(EntityTag(parsing: left))
            let right = try #require(EntityTag(parsing: right))
            #expect(left.stronglyMatches(right) == strong)
            #expect(left.weaklyMatches(right) == weak)
        }
    }

    @Test("comes in lists")
    func lists() throws {
        let a = try #require(EntityTag(opaque: "a"))
        let weak = try #require(EntityTag(opaque: "b", isWeak: true))
        #expect(EntityTagList(parsing: "*") == .any)
        #expect(EntityTagList(parsing: " * ") == .any)
        #expect(EntityTagList(parsing: "\"a\"") == .tags([a]))
        #expect(EntityTagList(parsing: "\"a\", W/\"b\"") == .tags([a, weak]))
        #expect(EntityTagList(parsing: ",\"a\"\t,,W/\"b\",") == .tags([a, weak]))
        for text in ["", ",", "a", "*, \"a\"", "\"a\", *", "\"a\" \"b\"", "\"a\", b", "**"] {
            #expect(EntityTagList(parsing: text) == nil)
        }
    }
}

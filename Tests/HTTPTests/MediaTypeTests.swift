import Testing

@testable import HTTP

@Suite("A media type")
struct MediaTypeTests {
    @Test("is read, in any case and with parameters")
    func parsing() throws {
        #expect(MediaType(parsing: "application/json") == .json)
        #expect(MediaType(parsing: " Application/JSON ") == .json)
        #expect(MediaType(parsing: "text/html;charset=utf-8") == .html)
        #expect(MediaType(parsing: "text/html; Charset=\"utf-8\" ;") == .html)
        let quoted = try #require(MediaType(parsing: "multipart/form-data; boundary=\"a;\\\"b\""))
        #expect(quoted[parameter: "boundary"] == "a;\"b")
        #expect(quoted[parameter: "charset"] == nil)
    }

    @Test(
        "that is malformed is none",
        arguments: [
            "", "text", "text/", "/html", "text/html/x", "text /html", "text/ html",
            "text/html, text/plain", "text/html; charset", "text/html; charset=",
            "text/html; charset = utf-8", "text/html; charset=\"utf-8", "text/html; =a", "té/html",
        ])
    func malformed(text: String) {
        #expect(MediaType(parsing: text) == nil)
    }

    @Test("is written with quotes where they are needed")
    func description() {
        #expect(MediaType.json.description == "application/json")
        #expect(MediaType.html.description == "text/html; charset=utf-8")
        let type = MediaType("a", "b", parameters: [.init(name: "c", value: "d \"e\"\\")])
        #expect(type.description == "a/b; c=\"d \\\"e\\\"\\\\\"")
        #expect(MediaType(parsing: type.description) == type)
    }

    @Test(
        "comes back as it was, with a combining mark behind what must be escaped",
        arguments: ["\"\u{301}", "\\\u{301}", "\\\u{301}\"\u{301}\\\u{200D}", "e\u{301}"])
    func combiningMarks(value: String) throws {
        let type = MediaType("a", "b", parameters: [.init(name: "c", value: value)])
        let again = try #require(MediaType(parsing: type.description))
        #expect(again[parameter: "c"].map { Array($0.utf8) } == Array(value.utf8))
    }

    @Test("is the same type whatever its parameters")
    func sameness() {
        #expect(MediaType.html.isSameType(as: MediaType("text", "html")))
        #expect(!MediaType.html.isSameType(as: .text))
        #expect(!MediaType.json.isSameType(as: .problemJSON))
    }
}

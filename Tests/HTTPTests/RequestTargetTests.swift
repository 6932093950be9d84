import HTTPTypes
import Testing

@testable import HTTP

@Suite("A request target")
struct RequestTargetTests {
    @Test(
        "in origin-form is split into decoded segments",
        arguments: [
            ("/", []), ("/a", ["a"]), ("/a/b", ["a", "b"]), ("/a/", ["a", ""]), ("//", ["", ""]),
            ("/a//b", ["a", "", "b"]), ("/@rob", ["@rob"]), ("/a%20b", ["a b"]),
            ("/%C3%A9%e2%82%AC", ["é€"]), ("/a%3Fb%23c%25", ["a?b#c%"]), ("/...", ["..."]),
            ("/.a/..b", [".a", "..b"]), ("/a+b;c=d,e", ["a+b;c=d,e"]),
        ])
    func segments(text: String, segments: [String]) throws {
        let target = try RequestTarget(parsing: text)
        #expect(target.form == .origin)
        #expect(target.path == text)
        #expect(target.segments == segments)
        #expect(target.query == nil)
        #expect(target.authority == nil)
    }

    @Test("keeps its query as received")
    func query() throws {
        #expect(try RequestTarget(parsing: "/a?").query == "")
        #expect(try RequestTarget(parsing: "/a?b=c%20d&e?/").query == "b=c%20d&e?/")
        #expect(try RequestTarget(parsing: "/a?x=[1]|{2}^`\\").query == "x=[1]|{2}^`\\")
        #expect(try RequestTarget(parsing: "/a?b").path == "/a")
    }

    @Test(
        "in absolute-form tells its authority",
        arguments: [
            ("http://h", "h", "/", nil), ("http://h/", "h", "/", nil),
            ("HTTPS://h:443/a/b?c", "h:443", "/a/b", "c"), ("http://h?q", "h", "/", "q"),
            ("http://[::1]:8080/a", "[::1]:8080", "/a", nil),
        ] as [(String, String, String, String?)])
    func absolute(text: String, authority: String, path: String, query: String?) throws {
        let target = try RequestTarget(parsing: text)
        #expect(target.form == .absolute)
        #expect(target.authority == authority)
        #expect(target.path == path)
        #expect(target.query == query)
    }

    @Test("in asterisk-form is for OPTIONS only")
    func asterisk() throws {
        let target = try RequestTarget(parsing: "*", method: .options)
        #expect(target.form == .asterisk)
        #expect(target.path == "*")
        #expect(target.segments.isEmpty)
        #expect(throws: RequestError(.asteriskWithoutOptions)) {
            try RequestTarget(parsing: "*", method: .get)
        }
    }

    @Test("in authority-form is for CONNECT only")
    func authority() throws {
        let target = try RequestTarget(parsing: "h:443", method: .connect)
        #expect(target.form == .authority)
        #expect(target.authority == "h:443")
        for text in ["h", "h:", "/a", "http://h:80/", "u@h:80", "*"] {
            #expect(throws: RequestError(.invalidTarget)) {
                try RequestTarget(parsing: text, method: .connect)
            }
        }
        #expect(throws: RequestError(.invalidTarget)) { try RequestTarget(parsing: "h:443") }
    }

    @Test(
        "is refused when its path could be misread",
        arguments: [
            ("/%", .malformedEscape), ("/%1", .malformedEscape), ("/%1g", .malformedEscape),
            ("/%%41", .malformedEscape), ("/%+1", .malformedEscape), ("/a%", .malformedEscape),
            ("/%00", .escapedNull), ("/%2F", .escapedSeparator), ("/%2f", .escapedSeparator),
            ("/a%5Cb", .escapedSeparator), ("/%5c..", .escapedSeparator),
            ("/%0D%0A", .escapedControlCharacter), ("/%1F", .escapedControlCharacter),
            ("/%7F", .escapedControlCharacter), ("/%09", .escapedControlCharacter),
            ("/%FF", .invalidUTF8), ("/%C3", .invalidUTF8), ("/%C0%AF", .invalidUTF8),
            ("/%ED%A0%80", .invalidUTF8), ("/%F5%80%80%80", .invalidUTF8),
            ("/.", .dotSegment), ("/..", .dotSegment), ("/a/../b", .dotSegment),
            ("/a/./b", .dotSegment), ("/%2e", .dotSegment), ("/%2E.", .dotSegment),
            ("/.%2e/a", .dotSegment), ("/a/%2e%2E", .dotSegment), ("http://h/..", .dotSegment),
            ("/a b", .invalidTargetCharacter), ("", .malformedRequestLine),
        ] as [(String, RequestError.Code)])
    func refused(text: String, code: RequestError.Code) {
        #expect(throws: RequestError(code)) { try RequestTarget(parsing: text) }
    }

    @Test("gives the items of its query")
    func queryItems() throws {
        let items = try RequestTarget(parsing: "/a?search=mario+kart&limit=5").queryItems()
        #expect(items["search"] == "mario kart")
        #expect(items["limit"] == "5")
        #expect(try RequestTarget(parsing: "/a").queryItems().items.isEmpty)
        #expect(throws: RequestError(.malformedEscape)) {
            try RequestTarget(parsing: "/a?b=%z").queryItems()
        }
    }

    @Test("makes a request as a test would write it")
    func convenience() throws {
        let request = try Request(method: .post, target: "/a?b", body: [1])
        #expect(request.method == .post)
        #expect(request.target.segments == ["a"])
        #expect(request.authority == "localhost")
        #expect(request.isPersistent)
        #expect(try Request(target: "http://h/").authority == "h")
    }
}

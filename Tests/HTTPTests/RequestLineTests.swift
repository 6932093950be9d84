import Testing

@testable import HTTP

@Suite("A request line")
struct RequestLineTests {
    let harness = ParserHarness()

    @Test(
        "that is malformed is refused with its precise reason",
        arguments: [
            ("GET / HTTP/1.1\n", .bareLineFeed), ("\n", .bareLineFeed), ("GET\n", .bareLineFeed),
            ("GET / HTTP/1.1\r\r\n", .bareCarriageReturn),
            ("GET /\rx HTTP/1.1\r\n", .bareCarriageReturn),
            ("GET / HTTP\r/1.1\r\n", .bareCarriageReturn),
            ("\rGET / HTTP/1.1\r\n", .bareCarriageReturn),
            ("\r\n\r\n\r\n", .tooManyEmptyLines),
            ("GET\r\n", .malformedRequestLine), ("GET \r\n", .malformedRequestLine),
            ("GET  / HTTP/1.1\r\n", .malformedRequestLine),
            ("GET /  HTTP/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1.1 \r\n", .malformedRequestLine),
            ("GET /a b HTTP/1.1\r\n", .malformedRequestLine),
            ("GET /\r\n", .missingVersion), ("GET / \r\n", .malformedVersion),
            (" GET / HTTP/1.1\r\n", .invalidMethod), ("\tGET / HTTP/1.1\r\n", .invalidMethod),
            ("GET\t/ HTTP/1.1\r\n", .invalidMethod), ("G{T / HTTP/1.1\r\n", .invalidMethod),
            ("G\u{0}T / HTTP/1.1\r\n", .invalidMethod), ("GÉT / HTTP/1.1\r\n", .invalidMethod),
            ("\u{16}\u{3}\u{1}\u{2}", .invalidMethod), ("GET: /\r\n", .invalidMethod),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456", .methodTooLong),
            ("CONNECT example.org:443 HTTP/1.1\r\n", .methodNotSupported),
        ] as [(String, RequestError.Code)])
    func malformed(line: String, code: RequestError.Code) {
        #expect(harness.error(in: line) == code)
    }

    @Test(
        "with another version is refused",
        arguments: [
            ("http/1.1", .malformedVersion), ("Http/1.1", .malformedVersion),
            ("HTTP/1", .malformedVersion), ("HTTP/1.", .malformedVersion),
            ("HTTP/1.10", .malformedVersion), ("HTTP/11.1", .malformedVersion),
            ("HTTP/+1.1", .malformedVersion), ("HTTP/1,1", .malformedVersion),
            ("HTTP/a.1", .malformedVersion), ("HTTP/1.a", .malformedVersion),
            ("HTTPS/1.1", .malformedVersion), ("ICY/1.1.", .malformedVersion),
            ("HTTP/2.0", .unsupportedVersion), ("HTTP/0.9", .unsupportedVersion),
            ("HTTP/9.9", .unsupportedVersion),
        ] as [(String, RequestError.Code)])
    func versions(version: String, code: RequestError.Code) {
        #expect(harness.error(in: "GET / \(version)\r\nHost: h\r\n\r\n") == code)
    }

    @Test("of HTTP/2 with prior knowledge is told that the version isn't spoken")
    func http2Preface() {
        #expect(harness.error(in: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == .unsupportedVersion)
        #expect(RequestError(.unsupportedVersion).status.code == 505)
    }

    @Test(
        "with a target of the wrong form or characters is refused",
        arguments: [
            ("GET * HTTP/1.1\r\n", .asteriskWithoutOptions),
            ("OPTIONS ** HTTP/1.1\r\n", .invalidTarget),
            ("GET a HTTP/1.1\r\n", .invalidTarget),
            ("GET example.org:80 HTTP/1.1\r\n", .invalidTarget),
            ("GET http:/a HTTP/1.1\r\n", .invalidTarget),
            ("GET http: HTTP/1.1\r\n", .invalidTarget),
            ("GET ftp://h/ HTTP/1.1\r\n", .unsupportedScheme),
            ("GET http://u@h/ HTTP/1.1\r\n", .userInformationInTarget),
            ("GET http://u:p@h/ HTTP/1.1\r\n", .userInformationInTarget),
            ("GET http:/// HTTP/1.1\r\n", .invalidAuthority),
            ("GET http://h:x/ HTTP/1.1\r\n", .invalidAuthority),
            ("GET http://h#f HTTP/1.1\r\n", .fragmentInTarget),
            ("GET /a#b HTTP/1.1\r\n", .fragmentInTarget),
            ("GET /?a#b HTTP/1.1\r\n", .fragmentInTarget),
            ("GET /é HTTP/1.1\r\n", .invalidTargetCharacter),
            ("GET /?é HTTP/1.1\r\n", .invalidTargetCharacter),
            ("GET /a\tb HTTP/1.1\r\n", .invalidTargetCharacter),
            ("GET /\u{0} HTTP/1.1\r\n", .invalidTargetCharacter),
            ("GET /\u{7F} HTTP/1.1\r\n", .invalidTargetCharacter),
            ("GET /a\\b HTTP/1.1\r\n", .invalidTargetCharacter),
            ("GET /<a> HTTP/1.1\r\n", .invalidTargetCharacter),
            ("GET /\"a\" HTTP/1.1\r\n", .invalidTargetCharacter),
            ("GET /?\"a\" HTTP/1.1\r\n", .invalidTargetCharacter),
            ("GET /%zz HTTP/1.1\r\n", .malformedEscape),
            ("GET /a/../b HTTP/1.1\r\n", .dotSegment),
        ] as [(String, RequestError.Code)])
    func targets(line: String, code: RequestError.Code) {
        #expect(harness.error(in: line) == code)
    }

    @Test("may come after two empty lines, also between requests")
    func emptyLines() {
        let requests = harness.requests(
            in: "\r\n\r\nGET /1 HTTP/1.0\r\n\r\n\r\n\r\nGET /2 HTTP/1.0\r\n\r\n")
        #expect(requests.count == 2)
    }

    @Test("of exactly the greatest length is taken, and one byte more refused without its end")
    func length() {
        let harness = ParserHarness(limits: ParserLimits(requestLineBytes: 40))
        // 4 for the method, 11 for the version with the CRLF and the space before it.
        let longest = "GET /" + String(repeating: "a", count: 24)
        #expect(harness.requests(in: longest + " HTTP/1.0\r\n\r\n").count == 1)
        #expect(harness.error(in: longest + "a HTTP/1.0\r\n\r\n") == .requestLineTooLong)
        let endless = "GET /" + String(repeating: "a", count: 35)
        #expect(harness.error(in: endless) == .requestLineTooLong)
        #expect(RequestError(.requestLineTooLong).status.code == 414)
    }
}

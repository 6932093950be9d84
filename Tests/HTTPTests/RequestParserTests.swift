import HTTPTypes
import Testing

@testable import HTTP

@Suite("The request parser")
struct RequestParserTests {
    let harness = ParserHarness()

    @Test("parses a request without a body")
    func simple() {
        let requests = harness.requests(
            in: "GET /ping?a=b HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n")
        #expect(requests == ["GET /ping ?a=b @127.0.0.1:8080 1.1 keep [] "])
    }

    @Test("keeps the fields in order, known and unknown, without the space around values")
    func fields() {
        let requests = harness.requests(
            in: "GET / HTTP/1.1\r\nX-First:1\r\nhOST:h\r\nAccept: \t */* \t\r\nX-Empty:\r\n"
                + "X-Tab: a\tb\r\naccept: text/html\r\n\r\n")
        #expect(
            requests == [
                "GET / ?- @h 1.1 keep "
                    + "[x-first: 1; accept: */*; x-empty: ; x-tab: a\tb; accept: text/html] "
            ])
    }

    @Test("keeps a value that is not UTF-8 as its bytes")
    func obsoleteText() throws {
        var parser = RequestParser()
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\nX-Name: caf".utf8) + [0xE9, 13, 10, 13, 10]
        let (consumed, event) = try ParserHarness.parseOnce(&parser, bytes)
        guard case .request(let request) = event else { throw RequestError(.missingHost) }
        #expect(consumed == bytes.count)
        let value = request.headerFields[0].withUnsafeBytesOfValue { Array($0) }
        #expect(value == [0x63, 0x61, 0x66, 0xE9])
    }

    @Test("reads a body by Content-Length, and says first that it comes")
    func contentLength() {
        let text = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
        let outcome = harness.outcome(ofAnyCut: Array(text.utf8))
        #expect(outcome.events == ["head false", "request"])
        #expect(outcome.requests == ["POST /a ?- @h 1.1 keep [content-length: 5] hello"])
    }

    @Test("emits no head for a body of no bytes")
    func emptyBody() {
        let text = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 000\r\n\r\n"
        let outcome = harness.outcome(ofAnyCut: Array(text.utf8))
        #expect(outcome.events == ["request"])
    }

    @Test("tells that a client waits for 100 Continue")
    func expectContinue() {
        let fields = "Host: h\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\nx"
        let new = harness.outcome(ofAnyCut: Array("PUT / HTTP/1.1\r\n\(fields)".utf8))
        #expect(new.events == ["head true", "request"])
        let old = harness.outcome(ofAnyCut: Array("PUT / HTTP/1.0\r\n\(fields)".utf8))
        #expect(old.events == ["head false", "request"])
    }

    @Test("reads pipelined requests one after another")
    func pipelined() {
        let requests = harness.requests(
            in: "POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab"
                + "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n\r\n"
                + "POST /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1\r\nx\r\n0\r\n\r\n"
                + "GET /4 HTTP/1.0\r\n\r\n")
        #expect(
            requests == [
                "POST /1 ?- @h 1.1 keep [content-length: 2] ab",
                "GET /2 ?- @h 1.1 keep [] ",
                "POST /3 ?- @h 1.1 keep [transfer-encoding: chunked] x",
                "GET /4 ?- @ 1.0 close [] ",
            ])
    }

    @Test(
        "knows every common method and any other token",
        arguments: [
            "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get",
            "A", "M-SEARCH", "!#$%&'*+-.^_`|~", "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345",
        ])
    func methods(method: String) {
        let requests = harness.requests(in: "\(method) / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(requests == ["\(method) / ?- @h 1.1 keep [] "])
    }

    @Test(
        "decides about persistence by version and Connection",
        arguments: [
            ("1.1", "", true), ("1.1", "Connection: close\r\n", false),
            ("1.1", "Connection: Keep-Alive\r\n", true),
            ("1.1", "Connection: upgrade , CLOSE\r\n", false),
            ("1.1", "Connection: keep-alive\r\nConnection: close\r\n", false),
            ("1.1", "Connection: closed\r\n", true), ("1.1", "Connection: ,,\r\n", true),
            ("1.0", "", false), ("1.0", "Connection: keep-alive\r\n", true),
            ("1.0", "Connection: x,Keep-Alive\r\n", true),
            ("1.0", "Connection: keep-alive, close\r\n", false),
            ("1.2", "", true), ("1.9", "Connection: close\r\n", false),
        ])
    func persistence(version: String, field: String, isPersistent: Bool) throws {
        let text = "GET / HTTP/\(version)\r\nHost: h\r\n\(field)\r\n"
        #expect(try ParserHarness.request(text).isPersistent == isPersistent)
    }

    @Test("takes a higher minor version as 1.1")
    func minorVersions() throws {
        #expect(try ParserHarness.request("GET / HTTP/1.0\r\n\r\n").minorVersion == 0)
        #expect(try ParserHarness.request("GET / HTTP/1.1\r\nHost: h\r\n\r\n").minorVersion == 1)
        #expect(try ParserHarness.request("GET / HTTP/1.7\r\nHost: h\r\n\r\n").minorVersion == 1)
    }

    @Test("compares values with texts as it returns them")
    func values() throws {
        let request = try ParserHarness.request(
            "GET / HTTP/1.1\r\nHost: h\r\nAccept:  a, b \r\nTE:\r\nVia: 1\r\nVia: 2\r\n\r\n")
        for (name, value) in [
            (HTTPField.Name.accept, "a, b"), (.te, ""), (.via, "1, 2"), (.cookie, nil),
        ] {
            #expect(request.value(of: name) == value)
            for text in ["a, b", "a, bc", "", "1", "1, 2", nil] {
                #expect(request.hasValue(text, of: name) == (text == value))
            }
        }
    }

    @Test("lets the authority of an absolute-form target win over Host")
    func absoluteForm() throws {
        let request = try ParserHarness.request(
            "GET http://Example.org:81/a?b HTTP/1.1\r\nHost: other\r\n\r\n")
        #expect(request.authority == "Example.org:81")
        #expect(request.target.path == "/a")
    }

    @Test("tells whether it is idle and whether it has a head")
    func states() throws {
        var parser = RequestParser()
        #expect(parser.isIdle && !parser.hasHead)
        try ParserHarness.parseOnce(&parser, Array("\r\n".utf8))
        #expect(parser.isIdle)
        try ParserHarness.parseOnce(&parser, Array("P".utf8))
        #expect(!parser.isIdle && !parser.hasHead)
        let head = Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n".utf8)
        let (consumed, _) = try ParserHarness.parseOnce(&parser, head)
        #expect(consumed == head.count)
        #expect(!parser.isIdle && parser.hasHead)
        try ParserHarness.parseOnce(&parser, [0x61])
        #expect(!parser.isIdle && parser.hasHead)
        try ParserHarness.parseOnce(&parser, [0x62])
        #expect(parser.isIdle && !parser.hasHead)
    }

    @Test("consumes nothing of no bytes")
    func nothing() throws {
        var parser = RequestParser()
        let (consumed, event) = try parser.parse([UInt8]().span)
        #expect(consumed == 0 && event == nil)
        #expect(parser.isIdle)
    }

    @Test("makes an event of no proper prefix of a request")
    func prefixes() {
        let text = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        let body = "5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n"
        let bytes = Array((text + body).utf8)
        for length in 0..<bytes.count {
            let outcome = harness.outcome(of: Array(bytes[..<length]))
            #expect(outcome.requests.isEmpty && outcome.error == nil)
            #expect(outcome.events.isEmpty == (length < text.utf8.count))
        }
    }
}

import HTTPTypes
import Testing

@testable import HTTP

@Suite("A field line")
struct FieldLineTests {
    let harness = ParserHarness()

    @Test(
        "that is malformed is refused with its precise reason, before the header ends",
        arguments: [
            ("X: y\n", .bareLineFeed), ("\n", .bareLineFeed), ("Host: h\r\n\n", .bareLineFeed),
            ("X: y\r\r\n", .bareCarriageReturn), ("X: a\rb\r\n", .bareCarriageReturn),
            ("X\r: y\r\n", .bareCarriageReturn), ("\rX: y\r\n", .bareCarriageReturn),
            (" X: y\r\n", .obsoleteFolding), ("\tX: y\r\n", .obsoleteFolding),
            ("X: y\r\n z\r\n", .obsoleteFolding), ("X: y\r\n\t\r\n", .obsoleteFolding),
            ("X\r\n", .missingColon), ("X : y\r\n", .whiteSpaceBeforeColon),
            ("X\t : y\r\n", .whiteSpaceBeforeColon), ("X Y: z\r\n", .invalidFieldName),
            (": y\r\n", .invalidFieldName), ("X(: y\r\n", .invalidFieldName),
            ("X\u{0}: y\r\n", .invalidFieldName), ("É: y\r\n", .invalidFieldName),
            ("X: a\u{0}b\r\n", .invalidFieldValue), ("X: \u{1}\r\n", .invalidFieldValue),
            ("X: abcdefgh\u{7F}ijk\r\n", .invalidFieldValue),
            ("X: abcdefgh\u{B}ijklmnop\r\n", .invalidFieldValue),
            ("Transfer-Encoding: \u{B}chunked\r\n", .invalidFieldValue),
        ] as [(String, RequestError.Code)])
    func malformed(line: String, code: RequestError.Code) {
        #expect(harness.error(in: "GET / HTTP/1.1\r\n" + line) == code)
    }

    @Test("may hold every character but controls in its value, at any place")
    func values() throws {
        for byte in UInt8.min...UInt8.max where byte != 0x0A {
            for before in [0, 3, 8, 12] {
                let padding = [UInt8](repeating: 0x61, count: before + 1)
                let bytes =
                    Array("GET / HTTP/1.0\r\nX: ".utf8) + padding + [byte] + padding
                    + Array("\r\n\r\n".utf8)
                let isControl = (byte < 0x20 && byte != 0x09) || byte == 0x7F
                #expect((harness.outcome(of: bytes).error != nil) == isControl, "\(byte)")
            }
        }
    }

    @Test("counts against the greatest number of fields")
    func count() {
        let harness = ParserHarness(limits: ParserLimits(headerCount: 3))
        let start = "GET / HTTP/1.1\r\nHost: h\r\nX: 1\r\nX: 2\r\n"
        #expect(harness.requests(in: start + "\r\n").count == 1)
        #expect(harness.error(in: start + "X: 3\r\n") == .tooManyFields)
        #expect(RequestError(.tooManyFields).status.code == 431)
    }

    @Test("counts against the size of the header, and needn't end to be too long")
    func size() {
        let harness = ParserHarness(limits: ParserLimits(headerBytes: 30))
        let start = "GET / HTTP/1.1\r\nHost: h\r\n"
        // 9 for Host, 2 for the empty line: 19 are left for a line.
        #expect(harness.requests(in: start + "X: 12345678901234\r\n\r\n").count == 1)
        #expect(harness.error(in: start + "X: 123456789012345\r\n\r\n") == .headerTooLarge)
        #expect(harness.error(in: start + "X: 123456789012345678") == .headerTooLarge)
        #expect(RequestError(.headerTooLarge).status.code == 431)
    }

    @Test(
        "is recognised by its name in any case",
        arguments: [
            "te", "date", "accept", "cookie", "origin", "expect", "referer", "upgrade",
            "if-match", "priority", "connection", "user-agent", "content-type", "authorization",
            "if-none-match", "cache-control", "content-length", "accept-encoding",
            "accept-language", "transfer-encoding", "if-modified-since", "if-unmodified-since",
            "sec-fetch-mode", "sec-ch-ua", "upgrade-insecure-requests", "x-forwarded-for",
        ])
    func knownNames(name: String) {
        for spelling in [name, name.uppercased()] {
            let bytes = Array(spelling.utf8)
            let known = KnownNames.name(bytes.span)
            #expect(known?.canonicalName == name)
        }
        let other = Array((name.dropLast() + "_").utf8)
        let unknown = KnownNames.name(other.span)
        #expect(unknown == nil)
    }

    @Test("is found by its name without fields being made, and as they would have it")
    func receivedLines() throws {
        var parser = RequestParser()
        let bytes = Array(
            "GET / HTTP/1.1\r\nHost: a\r\nX-One: 1\r\naccept: a/b\r\nACCEPT: c/d\r\nx_: \u{E9}\r\n\r\n"
                .utf8)
        let (_, event) = try parser.parse(bytes.span)
        guard case .request(let request) = event else {
            Issue.record("there is no request")
            return
        }
        #expect(request.contains(.accept))
        #expect(request.value(of: .accept) == "a/b, c/d")
        let one = try #require(HTTPField.Name("x-one"))
        #expect(request.value(of: one) == "1")
        let other = try #require(HTTPField.Name("X_"))
        #expect(request.value(of: other) == "\u{E9}")
        #expect(!request.contains(.cookie))
        #expect(
            request.headerFields.map(\.name.canonicalName) == ["x-one", "accept", "accept", "x_"])
        #expect(request.headerFields[values: .accept] == ["a/b", "c/d"])
        // What is set counts from then on.
        var changed = request
        changed.headerFields[.accept] = nil
        #expect(!changed.contains(.accept) && changed.value(of: one) == "1")
        #expect(request.contains(.accept))
    }

    @Test("may have every name that is a token")
    func namesAreTokens() {
        for byte in UInt8.min...UInt8.max {
            let name = HTTPField.Name(String(decoding: [byte], as: UTF8.self))
            #expect((name != nil) == ByteSet.token.contains(byte))
        }
    }
}

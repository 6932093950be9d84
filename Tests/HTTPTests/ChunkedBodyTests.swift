import Testing

@testable import HTTP

@Suite("A chunked body")
struct ChunkedBodyTests {
    let harness = ParserHarness()
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func body(_ chunks: String) -> String? {
        let requests = harness.requests(in: head + chunks)
        let start = "POST / ?- @h 1.1 keep [transfer-encoding: chunked] "
        return requests.first.map { String($0.dropFirst(start.count)) }
    }

    @Test(
        "is put together from its chunks",
        arguments: [
            ("0\r\n\r\n", ""), ("000\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
            ("1\r\na\r\n02\r\nbc\r\n0\r\n\r\n", "abc"),
            ("A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
            ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
            ("000000000000001\r\na\r\n0\r\n\r\n", "a"),
        ])
    func chunks(chunks: String, expected: String) {
        #expect(body(chunks) == expected)
    }

    @Test(
        "may have well-formed extensions and trailers, which are dropped",
        arguments: [
            "1;a\r\na\r\n0\r\n\r\n", "1;a=b;c=\"d;\\\"\"\r\na\r\n0;e\r\n\r\n",
            "1 ; a = b\r\na\r\n0\r\n\r\n", "1\r\na\r\n0\r\nX: y\r\nContent-Length: 7\r\n\r\n",
        ])
    func extensions(chunks: String) {
        #expect(body(chunks) == "a")
    }

    @Test(
        "that is malformed is refused",
        arguments: [
            ("\r\n", .invalidChunkSize), ("x\r\n", .invalidChunkSize),
            (";a\r\n", .invalidChunkSize),
            (" 1\r\n", .invalidChunkSize), ("+1\r\n", .invalidChunkSize),
            ("-1\r\n", .invalidChunkSize), ("0x1\r\n", .invalidChunkSize),
            ("1g\r\n", .invalidChunkSize), ("1,\r\n", .invalidChunkSize),
            ("0000000000000001", .chunkSizeTooLong), ("FFFFFFFFFFFFFFFF1", .chunkSizeTooLong),
            ("FFFFFFFFFFFFFFF\r\n", .bodyTooLarge), ("100001\r\n", .bodyTooLarge),
            ("1\n", .bareLineFeed), ("1;a\n", .bareLineFeed),
            ("1 \r\n", .invalidChunkExtension), ("1;\r\n", .invalidChunkExtension),
            ("1 a\r\n", .invalidChunkExtension), ("1;a=\r\n", .invalidChunkExtension),
            ("1;a=\"b\r\n", .invalidChunkExtension), ("1;a=b c\r\n", .invalidChunkExtension),
            ("1;a\rb\r\n", .invalidChunkExtension), ("1;a=\"\rb\"\r\n", .invalidChunkExtension),
            ("1;a=\"\u{0}\"\r\n", .invalidChunkExtension),
            ("1\r\nab", .missingChunkEnd), ("1\r\na\n", .missingChunkEnd),
            ("1\r\na\rb", .missingChunkEnd), ("1\r\na0\r\n", .missingChunkEnd),
            ("0\r\nX\r\n", .missingColon), ("0\r\nX: y\n", .bareLineFeed),
            ("0\r\n X: y\r\n", .obsoleteFolding), ("0\r\nX : y\r\n", .whiteSpaceBeforeColon),
            ("0\r\nX: \u{0}\r\n", .invalidFieldValue), ("0\r\n\n", .bareLineFeed),
        ] as [(String, RequestError.Code)])
    func malformed(chunks: String, code: RequestError.Code) {
        #expect(harness.error(in: head + chunks) == code)
    }

    @Test("is too large as soon as the sum of its chunks is")
    func size() {
        let harness = ParserHarness(limits: ParserLimits(bodyBytes: 4))
        #expect(harness.requests(in: head + "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n").count == 1)
        #expect(harness.error(in: head + "3\r\nabc\r\n2\r\n") == .bodyTooLarge)
        #expect(RequestError(.bodyTooLarge).status.code == 413)
    }

    @Test("may have only so many bytes of extensions in all its chunks")
    func extensionSize() {
        let harness = ParserHarness(limits: ParserLimits(chunkExtensionBytes: 6))
        #expect(harness.requests(in: head + "1;aa\r\na\r\n0;bb\r\n\r\n").count == 1)
        #expect(harness.error(in: head + "1;aa\r\na\r\n0;bbb\r\n\r\n") == .chunkExtensionsTooLong)
        #expect(harness.error(in: head + "1;aaaaaaaa") == .chunkExtensionsTooLong)
    }

    @Test("may have only so many bytes of trailers")
    func trailerSize() {
        let harness = ParserHarness(limits: ParserLimits(trailerBytes: 14))
        #expect(harness.requests(in: head + "0\r\nX: y\r\nX: y\r\n\r\n").count == 1)
        #expect(harness.error(in: head + "0\r\nX: y\r\nX: yz\r\n\r\n") == .trailersTooLarge)
        #expect(harness.error(in: head + "0\r\nX: yyyyyyyyyyy") == .trailersTooLarge)
        #expect(RequestError(.trailersTooLarge).status.code == 431)
    }

    @Test("is announced before any of it has come")
    func announcement() {
        let outcome = harness.outcome(of: Array(head.utf8))
        #expect(outcome.events == ["head false"])
    }
}

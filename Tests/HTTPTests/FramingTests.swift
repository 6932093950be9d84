import Testing

@testable import HTTP

@Suite("The framing and routing fields")
struct FramingTests {
    let harness = ParserHarness()

    @Test(
        "must leave no doubt about the host",
        arguments: [
            ("\r\n", .missingHost), ("X: y\r\n\r\n", .missingHost),
            ("Host: h\r\nHost: h\r\n", .repeatedHost), ("Host: h\r\nHOST: i\r\n", .repeatedHost),
            ("Host:\r\n", .invalidHost), ("Host: a, b\r\n", .invalidHost),
            ("Host: a,b\r\n", .invalidHost), ("Host: a b\r\n", .invalidHost),
            ("Host: u@h\r\n", .invalidHost), ("Host: h/p\r\n", .invalidHost),
            ("Host: h?q\r\n", .invalidHost), ("Host: h#f\r\n", .invalidHost),
            ("Host: h:x\r\n", .invalidHost), ("Host: h:65536\r\n", .invalidHost),
            ("Host: h:000080\r\n", .invalidHost), ("Host: h:-1\r\n", .invalidHost),
            ("Host: :80\r\n", .invalidHost), ("Host: h:80:80\r\n", .invalidHost),
            ("Host: [::1\r\n", .invalidHost), ("Host: [h]\r\n", .invalidHost),
            ("Host: []\r\n", .invalidHost), ("Host: [::1]x\r\n", .invalidHost),
            ("Host: h\\\r\n", .invalidHost), ("Host: <h>\r\n", .invalidHost),
            ("Host: é\r\n", .invalidHost), ("Host: %41\r\n", .invalidHost),
        ] as [(String, RequestError.Code)])
    func host(fields: String, code: RequestError.Code) {
        #expect(harness.error(in: "GET / HTTP/1.1\r\n" + fields) == code)
        #expect(RequestError(code).status.code == 400)
    }

    @Test(
        "may name the host in every valid way",
        arguments: ["h", "h:80", "h:", "h:0", "h:65535", "127.0.0.1:8080", "a-b.c_d", "[::1]:80"])
    func validHosts(host: String) throws {
        let request = try ParserHarness.request("GET / HTTP/1.1\r\nHost: \(host) \r\n\r\n")
        #expect(request.authority == host)
    }

    @Test("need no Host in HTTP/1.0, but not two either")
    func hostBeforeHTTP11() {
        #expect(harness.requests(in: "GET / HTTP/1.0\r\n\r\n").count == 1)
        #expect(harness.error(in: "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n") == .repeatedHost)
        #expect(harness.error(in: "GET / HTTP/1.0\r\nHost: a b\r\n") == .invalidHost)
    }

    @Test("need Host beside an absolute-form target too")
    func hostWithAbsoluteForm() {
        #expect(harness.error(in: "GET http://h/ HTTP/1.1\r\n\r\n") == .missingHost)
        #expect(harness.error(in: "GET http://h/ HTTP/1.1\r\nHost: @\r\n") == .invalidHost)
    }

    @Test(
        "must leave no doubt about the length",
        arguments: [
            ("Content-Length: 1\r\nContent-Length: 1\r\n", .repeatedContentLength),
            ("Content-Length: 1\r\nContent-Length: 2\r\n", .repeatedContentLength),
            ("Content-Length: 0\r\nContent-Length: 0\r\n", .repeatedContentLength),
            ("Content-Length:\r\n", .invalidContentLength),
            ("Content-Length: +1\r\n", .invalidContentLength),
            ("Content-Length: -1\r\n", .invalidContentLength),
            ("Content-Length: 1 1\r\n", .invalidContentLength),
            ("Content-Length: 1, 1\r\n", .invalidContentLength),
            ("Content-Length: 1,1\r\n", .invalidContentLength),
            ("Content-Length: 0x1\r\n", .invalidContentLength),
            ("Content-Length: 1.0\r\n", .invalidContentLength),
            ("Content-Length: 1e1\r\n", .invalidContentLength),
            ("Content-Length: ١\r\n", .invalidContentLength),
            ("Content-Length: 1048577\r\n", .bodyTooLarge),
            ("Content-Length: 9223372036854775808\r\n", .bodyTooLarge),
            ("Content-Length: 18446744073709551617\r\n", .bodyTooLarge),
            ("Content-Length: 99999999999999999999999999999999999\r\n", .bodyTooLarge),
            (
                "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
                .contentLengthWithTransferEncoding
            ),
            (
                "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
                .contentLengthWithTransferEncoding
            ),
        ] as [(String, RequestError.Code)])
    func length(fields: String, code: RequestError.Code) {
        #expect(harness.error(in: "POST / HTTP/1.1\r\nHost: h\r\n" + fields) == code)
    }

    @Test(
        "must know the transfer coding",
        arguments: [
            ("gzip", .unsupportedTransferCoding), ("identity", .unsupportedTransferCoding),
            ("gzip, chunked", .unsupportedTransferCoding),
            ("gzip;q=1, chunked", .unsupportedTransferCoding),
            ("xchunked", .unsupportedTransferCoding), ("chunked-", .unsupportedTransferCoding),
            ("chunked, gzip", .chunkedNotLast), ("chunked,identity", .chunkedNotLast),
            ("chunked, chunked", .repeatedChunked),
            ("chunked\r\nTransfer-Encoding: chunked", .repeatedChunked),
            ("chunked\r\nTransfer-Encoding: gzip", .chunkedNotLast),
            ("", .invalidTransferEncoding), (",chunked", .invalidTransferEncoding),
            ("chunked,", .invalidTransferEncoding), ("chunked;a=b", .invalidTransferEncoding),
            ("chunked gzip", .invalidTransferEncoding), ("\"chunked\"", .invalidTransferEncoding),
            ("chunked\u{A0}", .invalidTransferEncoding),
        ] as [(String, RequestError.Code)])
    func transferEncoding(value: String, code: RequestError.Code) {
        let start = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
        #expect(harness.error(in: start + value + "\r\n") == code)
        let status = code == .unsupportedTransferCoding ? 501 : 400
        #expect(RequestError(code).status.code == status)
    }

    @Test("may not use transfer codings in HTTP/1.0")
    func transferEncodingBeforeHTTP11() {
        let text = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"
        #expect(harness.error(in: text) == .transferEncodingBeforeHTTP11)
    }

    @Test("may have chunked in any case with space around it")
    func chunkedSpelling() {
        let requests = harness.requests(
            in: "POST / HTTP/1.1\r\nHost: h\r\nTRANSFER-ENCODING: \t Chunked \r\n\r\n0\r\n\r\n")
        #expect(requests.count == 1)
    }

    @Test("may expect nothing but 100-continue", arguments: ["", "200-ok", "100-continue, x"])
    func expectations(value: String) {
        let text = "GET / HTTP/1.1\r\nHost: h\r\nExpect: \(value)\r\n"
        #expect(harness.error(in: text) == .unknownExpectation)
        #expect(RequestError(.unknownExpectation).status.code == 417)
        let old = "GET / HTTP/1.0\r\nExpect: \(value)\r\n\r\n"
        #expect(harness.requests(in: old).count == 1)
    }
}

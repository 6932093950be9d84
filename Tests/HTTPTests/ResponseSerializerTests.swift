import HTTPTypes
import Testing

@testable import HTTP

@Suite("The response serialiser")
struct ResponseSerializerTests {
    private func text(
        _ response: Response, forHEAD: Bool = false, minorVersion: Int = 1, keepsAlive: Bool = true
    ) -> String {
        var buffer: [UInt8] = []
        ResponseSerializer.append(
            response, to: &buffer, forHEAD: forHEAD, minorVersion: minorVersion,
            keepsAlive: keepsAlive, date: Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8))
        return String(decoding: buffer, as: UTF8.self)
    }

    private let hello = Response(
        headerFields: [.contentType: "text/plain"], body: Array("hello".utf8))
    private let start =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
        + "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 5\r\n"

    @Test("writes a whole message")
    func whole() {
        #expect(text(hello) == start + "\r\nhello")
    }

    @Test("appends to what is there")
    func appends() {
        var buffer = Array("before".utf8)
        ResponseSerializer.append(
            hello, to: &buffer, forHEAD: false, minorVersion: 1, keepsAlive: true,
            date: Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8))
        #expect(String(decoding: buffer, as: UTF8.self) == "before" + start + "\r\nhello")
    }

    @Test("tells HEAD the length and leaves the body out")
    func head() {
        #expect(text(hello, forHEAD: true) == start + "\r\n")
    }

    @Test("tells whether the connection stays, where the version leaves it open")
    func connection() {
        let close = start + "Connection: close\r\n\r\nhello"
        let keep = start + "Connection: keep-alive\r\n\r\nhello"
        #expect(text(hello, keepsAlive: false) == close)
        #expect(text(hello, minorVersion: 0, keepsAlive: false) == close)
        #expect(text(hello, minorVersion: 0, keepsAlive: true) == keep)
    }

    @Test("gives no body and no length to 204 and 304", arguments: [204, 304])
    func withoutContent(code: Int) {
        var response = hello
        response.status = HTTPResponse.Status(code: code)
        let message = text(response)
        #expect(!message.contains("Content-Length"))
        #expect(message.contains("Date: "))
        #expect(message.hasSuffix("\r\n\r\n"))
    }

    @Test("writes an interim response as nothing but its line and fields")
    func interim() {
        #expect(text(Response(status: .continue)) == "HTTP/1.1 100 Continue\r\n\r\n")
        let hints = Response(status: .earlyHints, headerFields: [.cacheControl: "x"], body: [1])
        #expect(text(hints) == "HTTP/1.1 103 Early Hints\r\nCache-Control: x\r\n\r\n")
    }

    @Test("leaves out the fields that are its own to write")
    func ownFields() {
        let response = Response(headerFields: [
            .contentLength: "7", .connection: "upgrade", .transferEncoding: "chunked",
            .date: "never", .eTag: "\"a\"",
        ])
        #expect(
            text(response) == "HTTP/1.1 200 OK\r\nETag: \"a\"\r\n"
                + "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("lets no value end its line")
    func injection() {
        let attack = "/\r\nSet-Cookie: a=b\r\n\r\n\u{0}<html>\u{7F}"
        let response = Response(status: .seeOther, headerFields: [.location: attack])
        let lines = text(response).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.count == 6)
        #expect(!lines.contains { $0.hasPrefix("Set-Cookie") })
        let lenient = HTTPField(name: .location, lenientValue: Array(attack.utf8))
        #expect(!text(Response(headerFields: HTTPFields([lenient]))).contains("\u{7F}"))
    }

    @Test("keeps repeated fields apart")
    func repeated() {
        var response = Response()
        response.headerFields.append(HTTPField(name: .setCookie, value: "a=1"))
        response.headerFields.append(HTTPField(name: .setCookie, value: "b=2"))
        #expect(text(response).contains("Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n"))
    }

    @Test("has for every status a line with its registered phrase")
    func statusLines() {
        let known: [HTTPResponse.Status] = [
            .continue, .ok, .created, .accepted, .noContent, .movedPermanently, .found, .seeOther,
            .notModified, .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized,
            .forbidden, .notFound, .methodNotAllowed, .notAcceptable, .requestTimeout, .conflict,
            .gone, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
            .expectationFailed, .misdirectedRequest, .unprocessableContent, .preconditionRequired,
            .tooManyRequests, .requestHeaderFieldsTooLarge, .internalServerError, .notImplemented,
            .badGateway, .serviceUnavailable, .gatewayTimeout, .httpVersionNotSupported,
            .tooEarly, .resetContent,
        ]
        for status in known {
            let line = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
            #expect(text(Response(status: status)).hasPrefix(line))
        }
        let custom = HTTPResponse.Status(code: 299, reasonPhrase: "Fine\r\n\u{E9}")
        #expect(text(Response(status: custom)).hasPrefix("HTTP/1.1 299 Fine"))
        #expect(text(Response(status: 299)).hasPrefix("HTTP/1.1 299 \r\n"))
        #expect(text(Response(status: 42)).hasPrefix("HTTP/1.1 042 \r\n"))
    }

    @Test("writes lengths of all sizes", arguments: [0, 9, 10, 99, 100, 12345])
    func lengths(length: Int) {
        let message = text(Response(body: [UInt8](repeating: 0x61, count: length)), forHEAD: true)
        #expect(message.contains("Content-Length: \(length)\r\n"))
    }
}

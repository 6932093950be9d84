import HTTP
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPClient

@Suite("The client", .blocking)
struct HTTPClientTests {
    @Test("gets bodies, header fields and statuses")
    func get() async throws {
        try await ClientFixture.run { fixture in
            let hello = try await fixture.get("/hello?a=b")
            #expect(hello.status == .ok)
            #expect(String(decoding: hello.body, as: UTF8.self) == "GET /hello")
            #expect(fixture.state.requests.elements[0].target.query == "a=b")
            let fields = try await fixture.get("/fields").headerFields
            #expect(fields[.server] == "test")
            #expect(fields[.eTag] == "\"a\"")
            #expect(fields[values: .setCookie] == ["a=1", "b=2"])
            for code in [204, 304, 400, 404, 500, 503] {
                let status = try await fixture.get("/status/\(code)").status.code
                #expect(status == code)
            }
        }
    }

    @Test(
        "sends bodies of any size, and of any method",
        arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func bodies(method: HTTPRequest.Method) async throws {
        try await ClientFixture.run { fixture in
            for size in [0, 1, 70_000, 3_000_000] {
                let body =
                    [UInt8](repeating: 0, count: size / 2)
                    + [UInt8](
                        repeating: 0x79, count: size - size / 2)
                let response = try await fixture.send(
                    ClientRequest(
                        method, fixture.base + "/echo", body: body,
                        maximumResponseBytes: 4_000_000))
                let isSame = response.body == body
                #expect(isSame, "\(size) bytes")
                #expect(fixture.state.requests.elements.last?.method == method)
            }
        }
    }

    @Test("sends header fields, also empty ones and in place of its own")
    func fields() async throws {
        try await ClientFixture.run { fixture in
            var fields: HTTPFields = [.accept: "application/json", .userAgent: "mine"]
            fields[HTTPField.Name("X-Empty")!] = ""
            _ = try await fixture.send(
                ClientRequest(.get, fixture.base + "/a", headerFields: fields))
            let received = fixture.state.requests.elements[0].headerFields
            #expect(received[.accept] == "application/json")
            #expect(received[.userAgent] == "mine")
            #expect(received[HTTPField.Name("X-Empty")!] == "")
            _ = try await fixture.get("/a")
            #expect(fixture.state.requests.elements[1].headerFields[.userAgent] == "fave-games")
        }
    }

    @Test("asks HEAD without waiting for a body")
    func head() async throws {
        try await ClientFixture.run { fixture in
            let response = try await fixture.send(ClientRequest(.head, fixture.base + "/big/1000"))
            #expect(response.status == .ok)
            #expect(response.headerFields[.contentLength] == "1000")
            #expect(response.body.isEmpty)
        }
    }

    @Test("undoes compression, and bounds what comes of it")
    func compression() async throws {
        try await ClientFixture.run { fixture in
            let url = fixture.base + "/gzip"
            let response = try await fixture.send(ClientRequest(.get, url))
            #expect(response.body == [UInt8](repeating: 0x78, count: 5000))
            let failure = try await fixture.failure(
                of: ClientRequest(.get, url, maximumResponseBytes: 4999))
            #expect(failure == .responseTooLarge)
        }
    }

    @Test("refuses responses larger than wanted, in the body or in the header")
    func tooLarge() async throws {
        try await ClientFixture.run { fixture in
            let url = fixture.base + "/big/100000"
            let exact = try await fixture.send(
                ClientRequest(.get, url, maximumResponseBytes: 100_000))
            #expect(exact.body.count == 100_000)
            let body = try await fixture.failure(
                of: ClientRequest(.get, url, maximumResponseBytes: 99_999))
            #expect(body == .responseTooLarge)
            let header = try await fixture.failure(
                of: ClientRequest(.get, fixture.base + "/manyFields"))
            #expect(header == .responseTooLarge)
            #expect(try await fixture.get("/a").status == .ok)
        }
    }

    @Test("does not follow redirects")
    func redirect() async throws {
        try await ClientFixture.run { fixture in
            let response = try await fixture.get("/redirect")
            #expect(response.status == .found)
            #expect(response.headerFields[.location] == "/elsewhere")
            #expect(fixture.state.requests.count == 1)
        }
    }

    @Test(
        "refuses what is no http or https address",
        arguments: [
            "", "/a", "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/_x",
            "127.0.0.1", "http//127.0.0.1/", "http://", "http://127.0.0.1:99999/",
            "http://127.0.0.1/a b", "http://127.0.0.1/a\r\nX: y", "http://127.0.0.1/\0",
            "\thttp://127.0.0.1/", "javascript:http://127.0.0.1/",
        ])
    func badAddresses(url: String) async throws {
        try await ClientFixture.run { fixture in
            let failure = try await fixture.failure(of: ClientRequest(.get, url))
            #expect(failure == .badRequest)
        }
    }

    @Test("lets no header field end its line and begin another")
    func injection() async throws {
        try await ClientFixture.run { fixture in
            var fields = HTTPFields()
            fields[HTTPField.Name("X-One")!] = "a\r\nX-Two: b\r\n\r\nGET /smuggled HTTP/1.1"
            fields[.authorization] = "Bearer x\nX-Three: c"
            let request = ClientRequest(.get, fixture.base + "/a", headerFields: fields)
            let failure = try await fixture.failure(of: request)
            #expect(failure == nil || failure == .badRequest)
            for request in fixture.state.requests.elements {
                #expect(request.headerFields[HTTPField.Name("X-Two")!] == nil)
                #expect(request.headerFields[HTTPField.Name("X-Three")!] == nil)
                #expect(request.target.path == "/a")
            }
            #expect(fixture.state.requests.count <= 1)
        }
    }
}

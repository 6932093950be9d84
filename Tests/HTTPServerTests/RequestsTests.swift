import TestSupport
import Testing

@testable import HTTPServer

@Suite("A connection", .blocking)
struct RequestsTests {
    @Test("responds to one request after the other")
    func keepAlive() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            for number in 0..<50 {
                try connection.send(get("/a/\(number)"))
                let response = try connection.readResponse()
                #expect(response.status == 200)
                #expect(response.text == "GET /a/\(number)")
                #expect(response["connection"] == nil)
                #expect(response["date"]?.hasSuffix(" GMT") == true)
            }
            #expect(fixture.server.connectionCount == 1)
            #expect(Set(fixture.state.clients.elements) == ["127.0.0.1"])
        }
    }

    @Test("serves requests sent ahead in their order, all two hundred of one write")
    func pipelining() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send((0..<200).map { get("/a/\($0)") }.joined())
            for number in 0..<200 {
                let text = try connection.readResponse().text
                #expect(text == "GET /a/\(number)")
            }
        }
    }

    @Test("serves requests sent ahead that need no waiting a few at a time, and others in between")
    func respondsAtOnce() async throws {
        try await ServerFixture.run { fixture in
            let first = try fixture.connect()
            let other = try fixture.connect()
            // Both are known to the loop, which is to find all of it in the kernel.
            for connection in [first, other] {
                try connection.send(get("/now/0"))
                _ = try connection.readResponse()
            }
            let gate = try await fixture.holdUp()
            try first.send((1...1000).map { get("/now/\($0)") }.joined())
            first.finishSending()
            try other.send(get("/now/other"))
            gate.signal()
            for number in 1...1000 {
                let text = try first.readResponse().text
                #expect(text == "/now/\(number)")
            }
            #expect(try first.isClosedByServer())
            #expect(try other.readResponse().text == "/now/other")
            let calls = fixture.state.calls.elements
            let place = try #require(calls.firstIndex(of: "/now/other"))
            #expect(place < calls.count - 500, "not after all of the first's")
        }
    }

    @Test("serves requests sent ahead in their order, when the first take longest")
    func slowPipelining() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            let targets = (0..<8).map { "/slow/\(40 - $0 * 5)" }
            try connection.send(targets.map { get($0) }.joined())
            for target in targets {
                let text = try connection.readResponse().text
                #expect(text == "GET \(target)")
            }
            #expect(fixture.state.calls.elements == targets.map { "GET \($0)" })
        }
    }

    @Test("serves requests of any cut in the same way")
    func cuts() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            let text =
                get("/first") + "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
                + get("/last")
            for byte in text.utf8 { try connection.send([byte]) }
            #expect(try connection.readResponse().text == "GET /first")
            #expect(try connection.readResponse().text == "abc")
            #expect(try connection.readResponse().text == "GET /last")
        }
    }

    @Test("responds to HEAD like GET, but for the body")
    func head() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send("HEAD /big/1000 HTTP/1.1\r\nHost: h\r\n\r\n" + get("/next"))
            let head = try connection.readResponse(isHEAD: true)
            #expect(head.status == 200)
            #expect(head["content-length"] == "1000")
            #expect(try connection.readResponse().text == "GET /next")
        }
    }

    @Test("takes counted and chunked bodies, small and large")
    func bodies() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            for size in [0, 1, 1000, 65_536, 1 << 20] {
                let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 % 251) }
                let counted = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n"
                try connection.send(Array(counted.utf8) + body)
                let isSame = try connection.readResponse().bytes == body
                #expect(isSame, "counted, \(size) bytes")
                var chunked = Array(
                    "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                for start in stride(from: 0, to: size, by: 50_000) {
                    let chunk = body[start..<min(size, start + 50_000)]
                    chunked += "\(String(chunk.count, radix: 16));x=y\r\n".utf8 + chunk
                    chunked += "\r\n".utf8
                }
                try connection.send(chunked + "0\r\nTrailer: x\r\n\r\n".utf8)
                let isSameChunked = try connection.readResponse().bytes == body
                #expect(isSameChunked, "chunked, \(size) bytes")
            }
        }
    }

    @Test("says 100 Continue when asked, and takes the body then")
    func expectContinue() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            for _ in 0..<2 {
                try connection.send(
                    "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
                        + "Expect: 100-continue\r\n\r\n")
                #expect(try connection.readResponse().status == 100)
                try connection.send("abc")
                #expect(try connection.readResponse().text == "abc")
            }
        }
    }

    @Test("does not say 100 Continue for a body that is too long")
    func expectContinueTooLong() async throws {
        try await ServerFixture.run {
            $0.limits.bodyBytes = 10
        } _: { fixture in
            let connection = try fixture.connect()
            try connection.send(
                "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            let response = try connection.readResponse()
            #expect(response.status == 413)
            #expect(response["connection"] == "close")
            #expect(try connection.isClosedByServer())
            #expect(fixture.state.calls.count == 0)
        }
    }

    @Test("with HTTP/1.0 closes, unless the client asks to keep it")
    func http10() async throws {
        try await ServerFixture.run { fixture in
            let closing = try fixture.connect()
            try closing.send("GET /a HTTP/1.0\r\n\r\n")
            let response = try closing.readResponse()
            #expect(response["connection"] == "close")
            #expect(try closing.isClosedByServer())
            let persistent = try fixture.connect()
            for _ in 0..<3 {
                try persistent.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let response = try persistent.readResponse()
                #expect(response["connection"] == "keep-alive")
            }
        }
    }

    @Test("closes after the response when the client or the handler says so")
    func close() async throws {
        try await ServerFixture.run { fixture in
            for request in [get("/a", "Connection: close\r\n"), get("/close")] {
                let connection = try fixture.connect()
                // The second request gets no response.
                try connection.send(request + get("/never"))
                let response = try connection.readResponse()
                #expect(response.status == 200)
                #expect(response["connection"] == "close")
                #expect(try connection.isClosedByServer())
            }
            #expect(!fixture.state.calls.elements.contains("GET /never"))
        }
    }

    @Test("closes after so many requests")
    func requestsPerConnection() async throws {
        try await ServerFixture.run {
            $0.requestsPerConnection = 3
        } _: { fixture in
            let connection = try fixture.connect()
            try connection.send((0..<5).map { get("/\($0)") }.joined())
            let fields = try (0..<3).map { _ in try connection.readResponse()["connection"] }
            #expect(fields == [nil, nil, "close"])
            #expect(try connection.isClosedByServer())
            #expect(fixture.state.calls.count == 3)
        }
    }

    @Test("on a unix-domain socket works as well")
    func unixSocket() async throws {
        let path = "/tmp/fave-http-\(UInt32.random(in: 0 ... .max)).sock"
        try await ServerFixture.run(path: path) { fixture in
            let connection = try RawConnection(path: path)
            try connection.send(get("/a") + get("/b"))
            #expect(try connection.readResponse().text == "GET /a")
            #expect(try connection.readResponse().text == "GET /b")
            #expect(fixture.state.clients.elements == ["local", "local"])
        }
    }
}

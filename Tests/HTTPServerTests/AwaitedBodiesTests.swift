import Sockets
import TestSupport
import Testing

@testable import HTTPServer

@Suite("A body that is awaited", .blocking)
struct AwaitedBodiesTests {
    private static func post(
        _ path: String, length: Int, from client: String = "192.0.2.1", _ fields: String = ""
    ) -> String {
        "POST \(path) HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: \(client)\r\n"
            + "Content-Length: \(length)\r\n\(fields)\r\n"
    }

    /// A server behind a proxy, which the tests are, with bodies of 100 bytes, or of 1,000 at one address.
    private static func run(
        _ body: (ServerFixture) async throws -> Void
    ) async throws {
        try await ServerFixture.run {
            $0.maximumConnections = 32
            $0.limits.bodyBytes = 100
            $0.limits.largerBodies = ["/echo": 1000]
            $0.owner = { client in
                guard case .internet(let address) = client, address != IPAddress("127.0.0.1")
                else { return nil }
                return IPNetwork(of: address, prefixLength: address.isV4 ? 32 : 56)
            }
        } _: { fixture in
            try await body(fixture)
        }
    }

    @Test("counts for the client that a proxy names, which can't keep others from connecting")
    func share() async throws {
        try await Self.run { fixture in
            let unfinished = try (0..<4).map { _ in
                let connection = try fixture.connect()
                try connection.send(Self.post("/a", length: 10) + "x")
                return connection
            }
            try await fixture.waits(4, for: .body)
            // Many more, which stay connected.
            let refused = try (0..<60).map { _ in
                let connection = try fixture.connect()
                try connection.send(Self.post("/a", length: 10) + "x")
                #expect(try connection.readResponse().status == 429)
                return connection
            }
            let other = try fixture.connect()
            try other.send(Self.post("/echo", length: 3, from: "192.0.2.2"))
            try await fixture.waits(5, for: .body)
            try other.send("abc")
            #expect(try other.readResponse().text == "abc")
            // Its own requests whose body is there are served, and those that were begun.
            #expect(try fixture.exchange(Self.post("/echo", length: 2) + "ok").text == "ok")
            try unfinished[0].send("123456789")
            #expect(try unfinished[0].readResponse().status == 200)
            let next = try fixture.connect()
            try next.send(Self.post("/echo", length: 2))
            try await fixture.waits(4, for: .body)
            try next.send("ok")
            #expect(try next.readResponse().text == "ok")
            withExtendedLifetime(refused) {}
        }
    }

    @Test("makes room when its client is gone, or too slow")
    func release() async throws {
        try await Self.run { fixture in
            for isGone in [true, false] {
                var unfinished = try (0..<4).map { _ in
                    let connection = try fixture.connect()
                    try connection.send(Self.post("/a", length: 10) + "x")
                    return connection
                }
                try await fixture.waits(4, for: .body)
                if !isGone { await fixture.advance(by: .seconds(10)) }
                unfinished.removeAll()
                try await eventually { fixture.server.connectionCount == 0 }
            }
            let next = try fixture.connect()
            try next.send(Self.post("/echo", length: 2))
            try await fixture.waits(for: .body)
            try next.send("ok")
            #expect(try next.readResponse().text == "ok")
        }
    }

    @Test("is not read if it is large and its sender may not send it")
    func refused() async throws {
        try await Self.run { fixture in
            let chunked =
                "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
            // Many more than may be held, of which none is.
            for head in [
                Self.post("/echo", length: 1000), Self.post("/echo", length: 1000) + "x",
                Self.post("/echo", length: 1000, "Expect: 100-continue\r\n"), chunked,
            ] {
                let connections = try (0..<5).map { _ in
                    let connection = try fixture.connect()
                    try connection.send(head)
                    let response = try connection.readResponse()
                    #expect(response.status == 401)
                    #expect(response.text == "who?")
                    #expect(response["connection"] == "close")
                    return connection
                }
                withExtendedLifetime(connections) {}
            }
            #expect(Set(fixture.state.calls.elements) == ["admit /echo"])
        }
    }

    @Test("is asked for with 100 Continue once its sender may send it, and read")
    func admitted() async throws {
        try await Self.run { fixture in
            let connection = try fixture.connect()
            let body = [UInt8](repeating: 0x78, count: 1000)
            for expects in [true, false] {
                let fields =
                    "Authorization: me\r\n" + (expects ? "Expect: 100-continue\r\n" : "")
                let head = Self.post("/echo", length: 1000, fields)
                if expects {
                    try connection.send(head)
                    #expect(try connection.readResponse().status == 100)
                    try connection.send(body + get("/next").utf8)
                } else {
                    try connection.send(Array(head.utf8) + body + get("/next").utf8)
                }
                #expect(try connection.readResponse().bytes == body)
                #expect(try connection.readResponse().text == "GET /next")
            }
            let calls = ["admit /echo", "POST /echo", "GET /next"]
            #expect(fixture.state.calls.elements == calls + calls)
        }
    }

    @Test("is read without asking if it is as small as all may be")
    func small() async throws {
        try await Self.run { fixture in
            let response = try fixture.exchange(
                Self.post("/echo", length: 100) + String(repeating: "x", count: 100))
            #expect(response.status == 200)
            #expect(fixture.state.calls.elements == ["POST /echo"])
        }
    }

    @Test("gets a quarter of the room for large ones")
    func large() async throws {
        try await Self.run { fixture in
            let head = Self.post("/echo", length: 1000, "Authorization: me\r\n")
            let held = try (0..<2).map { _ in
                let connection = try fixture.connect()
                try connection.send(head)
                return connection
            }
            try await fixture.waits(2, for: .body)
            #expect(try fixture.exchange(head).status == 429)
            let other = Self.post(
                "/echo", length: 1000, from: "192.0.2.2", "Authorization: me\r\n")
            #expect(
                try fixture.exchange(other + String(repeating: "x", count: 1000)).status == 200)
            withExtendedLifetime(held) {}
        }
    }
}

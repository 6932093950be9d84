import Foundation
import Sockets
import TestSupport
import Testing

@testable import HTTPServer

@Suite("A server that speaks HTTPS", .blocking)
struct HTTPSTests {
    private static func run<Result>(
        loops: Int = 1, configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (ServerFixture) async throws -> Result
    ) async throws -> Result {
        let shared = TestCertificate.shared
        let tls = try TLSServer([TLSCertificate(chain: shared.certificate, key: shared.key)])
        return try await ServerFixture.run(loops: loops) {
            $0.tls = tls
            configure(&$0)
        } _: { fixture in
            try await body(fixture)
        }
    }

    @Test("serves request after request, and says close_notify at the end")
    func requests() async throws {
        try await Self.run(loops: 2) { fixture in
            let connection = try fixture.connectTLS()
            for size in [0, 1, 16_384, 16_385, 3_000_000] {
                try connection.send(get("/big/\(size)"))
                #expect(try connection.readResponse().bytes.count == size)
            }
            try connection.send((0..<20).map { get("/\($0)") }.joined())
            for number in 0..<20 {
                #expect(try connection.readResponse().text == "GET /\(number)")
            }
            let body = [UInt8](repeating: 0x61, count: 60_000)
            try connection.send(
                Array("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n".utf8) + body
            )
            #expect(try connection.readResponse().bytes == body)
            try connection.send(get("/close"))
            #expect(try connection.readResponse().text == "bye")
            #expect(try connection.isClosedByServer())
            connection.finishSending()
            try await eventually { fixture.server.connectionCount == 0 }
        }
    }

    @Test("gives all the responses to a client that says close_notify after sending")
    func halfClose() async throws {
        try await Self.run { fixture in
            let connection = try fixture.connectTLS()
            try connection.send(get("/slow/20") + get("/b"))
            connection.finishSending()
            #expect(try connection.readResponse().text == "GET /slow/20")
            #expect(try connection.readResponse().text == "GET /b")
            #expect(try connection.isClosedByServer())
        }
    }

    @Test(
        "tells a client that speaks HTTP in the clear that it must not, however much it sends",
        arguments: [0, 3_000_000])
    func clearText(bodyLength: Int) async throws {
        try await Self.run { fixture in
            let connection = try fixture.connect()
            try connection.send(get("/a", "Content-Length: \(bodyLength)\r\n"))
            try await eventually { fixture.state.errors.count == 1 }
            try connection.send([UInt8](repeating: 0x78, count: bodyLength))
            let response = try connection.readResponse()
            #expect(response.status == 400)
            #expect(response["connection"] == "close")
            #expect(try connection.isClosedByServer())
            connection.finishSending()
            try await eventually { fixture.server.connectionCount == 0 }
            #expect(fixture.state.calls.count == 0)
            #expect(
                fixture.state.errors.elements == [
                    "This port speaks HTTPS: use an address that begins with https://"
                ])
        }
    }

    @Test("tells clients past the bound that it is full")
    func connectionBound() async throws {
        try await Self.run {
            $0.maximumConnections = 1
        } _: { fixture in
            let first = try fixture.connectTLS()
            try first.send(get("/gate"))
            try await eventually { fixture.state.calls.count == 1 }
            let second = try fixture.connectTLS()
            #expect(try second.readResponse().status == 503)
            #expect(try second.isClosedByServer())
            fixture.state.openGate()
            #expect(try first.readResponse().status == 200)
        }
    }

    @Test("says close_notify to idle clients when it drains")
    func drain() async throws {
        try await Self.run { fixture in
            let connection = try fixture.connectTLS()
            try connection.send(get("/a"))
            #expect(try connection.readResponse().status == 200)
            _ = fixture.drain()
            try await fixture.stopsListening()
            await fixture.advance(by: .seconds(1))
            #expect(try connection.isClosedByServer())
        }
    }

    // MARK: Slow and abandoned handshakes

    @Test(
        "closes, at the time limit for headers, a client",
        arguments: ["that says nothing", "in the middle of its hello", "after its handshake"])
    func slow(client: String) async throws {
        try await Self.run { fixture in
            let connection = try fixture.connect()
            switch client {
            case "in the middle of its hello": try connection.send([22, 3, 1, 0, 200, 1, 0])
            case "after its handshake": try connection.startTLS()
            default: break
            }
            try await fixture.waits(for: .firstRequest)
            await fixture.advance(by: .milliseconds(9900))
            #expect(fixture.server.connectionCount == 1)
            await fixture.advance(by: .milliseconds(100))
            #expect(try connection.isClosedByServer())
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test("does not let bytes of a handshake move the time limit")
    func trickle() async throws {
        try await Self.run { fixture in
            let connection = try fixture.connect()
            try connection.send([22, 3, 1, 0x3E, 0x80, 1, 0, 0x3E, 0x7C, 3, 3])
            try await fixture.waits(for: .firstRequest)
            for _ in 0..<9 {
                await fixture.advance(by: .seconds(1))
                try connection.send([0])
            }
            #expect(fixture.server.connectionCount == 1)
            await fixture.advance(by: .seconds(1))
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test("gets its descriptors back from clients that leave in the middle of a handshake")
    func abandoned() async {
        // In a process of its own, where nothing else has descriptors.
        await #expect(processExitsWith: .success) {
            try await Self.run(loops: 2) { fixture in
                func sockets() throws -> Int {
                    let folder = "/proc/self/fd/"
                    return try FileManager.default.contentsOfDirectory(atPath: folder).count {
                        let link = try? FileManager.default.destinationOfSymbolicLink(
                            atPath: folder + $0)
                        return link?.hasPrefix("socket:") == true
                    }
                }
                let before = try sockets()
                let hello: [UInt8] = [22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]
                for round in 0..<1000 {
                    let connection = try fixture.connect()
                    switch round % 4 {
                    case 0: break
                    case 1: try connection.send(hello)
                    case 2: try connection.send(hello + [UInt8](repeating: 7, count: 300))
                    // Without close_notify.
                    default: if round % 40 == 3 { try connection.startTLS() }
                    }
                }
                try await eventually { fixture.server.connectionCount == 0 }
                try await eventually("descriptors") { try sockets() == before }
                let connection = try fixture.connectTLS()
                try connection.send(get("/a"))
                #expect(try connection.readResponse().status == 200)
            }
        }
    }
}

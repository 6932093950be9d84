import TestSupport
import Testing

@testable import HTTPServer

@Suite("A server that drains", .blocking)
struct DrainTests {
    @Test("finishes what is running, closes what is idle, and refuses what is new")
    func drains() async throws {
        try await ServerFixture.run(loops: 2) { fixture in
            let idle = try (0..<4).map { _ in try fixture.connect() }
            for connection in idle {
                try connection.send(get("/a"))
                #expect(try connection.readResponse().status == 200)
            }
            let running = try fixture.connect()
            try running.send(get("/gate") + get("/never"))
            try await eventually { fixture.state.calls.count == 5 }
            let drained = fixture.drain()
            try await fixture.stopsListening()
            #expect(RawConnection.isRefused(port: fixture.port))
            // What idles gets a second, in which a request may come that was on its way.
            await fixture.advance(by: .milliseconds(900))
            try await fixture.waits(4, for: .request)
            await fixture.advance(by: .milliseconds(100))
            for connection in idle { #expect(try connection.isClosedByServer()) }
            #expect(drained.count == 0)
            fixture.state.openGate()
            let response = try running.readResponse()
            #expect(response.text == "GET /gate")
            #expect(response["connection"] == "close")
            #expect(try running.isClosedByServer())
            running.finishSending()
            try await eventually { drained.count == 1 }
            #expect(fixture.server.connectionCount == 0)
            #expect(!fixture.state.calls.elements.contains("GET /never"))
        }
    }

    @Test("serves what waits to be accepted, and what is sent on connections that idle")
    func waiting() async throws {
        try await ServerFixture.run { fixture in
            let idle = try (0..<5).map { _ in try fixture.connect() }
            for connection in idle {
                try connection.send(get("/a"))
                #expect(try connection.readResponse().status == 200)
            }
            // While the loop is held up, clients connect and send.
            let gate = try await fixture.holdUp()
            let waiting = try (0..<20).map { _ in try fixture.connect() }
            for connection in waiting + idle { try connection.send(get("/b")) }
            let drained = fixture.drain()
            try await eventually("the end of listening") { !fixture.server.isListening }
            gate.signal()
            try await fixture.stopsListening()
            for connection in waiting + idle {
                let response = try connection.readResponse()
                #expect(response.status == 200)
                #expect(try connection.isClosedByServer())
                connection.finishSending()
            }
            try await eventually { drained.count == 1 }
        }
    }

    @Test("serves one more request on a connection that idles, and says that it is the last one")
    func lastRequest() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send(get("/a"))
            #expect(try connection.readResponse()["connection"] == nil)
            let drained = fixture.drain()
            try await fixture.stopsListening()
            try connection.send(get("/b"))
            let response = try connection.readResponse()
            #expect(response.text == "GET /b")
            #expect(response["connection"] == "close")
            #expect(try connection.isClosedByServer())
            connection.finishSending()
            try await eventually { drained.count == 1 }
        }
    }

    @Test("waits for a request that has begun to come")
    func halfRequest() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            try connection.send("GET /a HTTP/1.1\r\n")
            try await fixture.waits(for: .header)
            let drained = fixture.drain()
            try await fixture.stopsListening()
            await fixture.advance(by: .seconds(2))
            try connection.send("Host: h\r\n\r\n")
            let response = try connection.readResponse()
            #expect(response.text == "GET /a")
            #expect(response["connection"] == "close")
            #expect(try connection.isClosedByServer())
            connection.finishSending()
            try await eventually { drained.count == 1 }
        }
    }

    @Test("ends within its bound, whatever is still running")
    func bound() async throws {
        try await ServerFixture.run { fixture in
            let running = try fixture.connect()
            try running.send(get("/gate"))
            try await fixture.waits(for: .response)
            let drained = fixture.drain()
            try await fixture.stopsListening()
            await fixture.advance(by: .milliseconds(9900))
            #expect(fixture.server.connectionCount == 1)
            #expect(drained.count == 0)
            await fixture.advance(by: .milliseconds(100))
            #expect(try running.isClosedByServer())
            try await eventually { drained.count == 1 }
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test("closes a connection as soon as the response that was waiting has left")
    func waitingResponse() async throws {
        try await ServerFixture.run { fixture in
            let connection = try fixture.connect()
            connection.shrinkReceiveBuffer(to: 262_144)
            // More than the kernel takes before it is read.
            try connection.send(get("/big/50000000"))
            try await fixture.waits(for: .reader)
            let drained = fixture.drain()
            try await fixture.stopsListening()
            let count = try connection.readResponse().bytes.count
            #expect(count == 50_000_000)
            #expect(try connection.isClosedByServer())
            connection.finishSending()
            // Although the time has not come by which it must.
            try await eventually { drained.count == 1 }
        }
    }

    @Test("may be told so by several at once, and again")
    func again() async throws {
        try await ServerFixture.run { fixture in
            let running = try fixture.connect()
            try running.send(get("/gate"))
            try await eventually { fixture.state.calls.count == 1 }
            for drained in (0..<3).map({ _ in fixture.drain() }) {
                try await fixture.end(of: drained)
            }
            try await fixture.end(of: fixture.drain())
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test("without connections is done at once, also when its loops have stopped")
    func nothing() async throws {
        try await ServerFixture.run { fixture in
            let drained = fixture.drain()
            try await fixture.stopsListening()
            try await eventually { drained.count == 1 }
            for loop in fixture.loops { loop.stop() }
            try await eventually { fixture.loops.allSatisfy(\.hasStopped) }
            let again = fixture.drain()
            try await eventually { again.count == 1 }
        }
    }
}

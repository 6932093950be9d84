import Glibc
import TestSupport
import Testing

@testable import HTTPServer

@Suite("A server that drains", .blocking, .timeLimit(.minutes(5)))
struct DrainTests {
    @Test("finishes what is running, closes what is idle, and refuses what is new")
    func drains() async throws {
        try await ServerFixture.run(loops: 2) {
            $0.drainTimeout = .seconds(20)
        } _: { fixture in
            let idle = try (0..<4).map { _ in try fixture.connect() }
            for connection in idle {
                try connection.send(get("/a"))
                #expect(try connection.readResponse().status == 200)
            }
            let running = try fixture.connect()
            try running.send(get("/gate") + get("/never"))
            try await eventually { fixture.state.calls.count == 5 }
            let port = fixture.port
            let drained = Recorder<Int>()
            let drain = Task {
                await fixture.server.drain()
                drained.record(1)
            }
            for connection in idle { #expect(try connection.isClosedByServer()) }
            try await eventually("refusal") { RawConnection.isRefused(port: port) }
            #expect(drained.count == 0)
            fixture.state.openGate()
            let response = try running.readResponse()
            #expect(response.text == "GET /gate")
            #expect(response["connection"] == "close")
            #expect(try running.isClosedByServer())
            try await value(of: drain)
            #expect(fixture.server.connectionCount == 0)
            #expect(!fixture.state.calls.elements.contains("GET /never"))
        }
    }

    @Test("answers what waits to be accepted, and what is sent on connections that idle")
    func waiting() async throws {
        try await ServerFixture.run {
            $0.drainTimeout = .seconds(20)
        } _: { fixture in
            let idle = try (0..<5).map { _ in try fixture.connect() }
            for connection in idle {
                try connection.send(get("/a"))
                #expect(try connection.readResponse().status == 200)
            }
            // While the loop is held up, clients connect and send.
            let gate = Recorder<Int>()
            fixture.loops[0].execute { while gate.count == 0 { usleep(1000) } }
            let waiting = try (0..<20).map { _ in try fixture.connect() }
            for connection in waiting + idle { try connection.send(get("/b")) }
            let drain = Task { await fixture.server.drain() }
            usleep(200_000)
            gate.record(1)
            for connection in waiting + idle {
                let response = try connection.readResponse()
                #expect(response.status == 200)
                #expect(try connection.isClosedByServer())
            }
            try await value(of: drain)
        }
    }

    @Test("answers one more request on a connection that idles, and says that it is the last one")
    func lastRequest() async throws {
        try await ServerFixture.run {
            $0.drainTimeout = .seconds(20)
        } _: { fixture in
            let connection = try fixture.connect()
            try connection.send(get("/a"))
            #expect(try connection.readResponse()["connection"] == nil)
            let drain = Task { await fixture.server.drain() }
            try await eventually("refusal") { RawConnection.isRefused(port: fixture.port) }
            try connection.send(get("/b"))
            let response = try connection.readResponse()
            #expect(response.text == "GET /b")
            #expect(response["connection"] == "close")
            #expect(try connection.isClosedByServer())
            try await value(of: drain)
        }
    }

    @Test("waits for a request that has begun to come")
    func halfRequest() async throws {
        try await ServerFixture.run {
            $0.drainTimeout = .seconds(20)
        } _: { fixture in
            let connection = try fixture.connect()
            try connection.send("GET /a HTTP/1.1\r\n")
            // Seen, since this comes later.
            #expect(try fixture.exchange(get("/b", "Connection: close\r\n")).status == 200)
            let drained = Task { await fixture.server.drain() }
            try await eventually("refusal") { RawConnection.isRefused(port: fixture.port) }
            try connection.send("Host: h\r\n\r\n")
            let response = try connection.readResponse()
            #expect(response.text == "GET /a")
            #expect(response["connection"] == "close")
            #expect(try connection.isClosedByServer())
            try await value(of: drained)
        }
    }

    @Test("ends within its bound, whatever is still running")
    func bound() async throws {
        try await ServerFixture.run {
            $0.drainTimeout = .milliseconds(200)
        } _: { fixture in
            let running = try fixture.connect()
            try running.send(get("/gate"))
            try await eventually { fixture.state.calls.count == 1 }
            let time = try await ContinuousClock().measure {
                try await value(of: Task { await fixture.server.drain() })
            }
            #expect(time >= .milliseconds(190))
            #expect(time < .seconds(10))
            #expect(try running.isClosedByServer())
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test("closes a connection as soon as the answer that was waiting has left")
    func waitingAnswer() async throws {
        try await ServerFixture.run {
            $0.drainTimeout = .seconds(30)
        } _: { fixture in
            let connection = try fixture.connect()
            // More than the kernel takes before it is read.
            try connection.send(get("/big/50000000"))
            try await eventually { fixture.state.calls.count == 1 }
            let drained = Task { await fixture.server.drain() }
            try await eventually("refusal") { RawConnection.isRefused(port: fixture.port) }
            let count = try connection.readResponse().bytes.count
            #expect(count == 50_000_000)
            #expect(try connection.isClosedByServer())
            let began = ContinuousClock.now
            try await value(of: drained)
            #expect(ContinuousClock.now - began < .seconds(15))
        }
    }

    @Test("may be told so by several at once, and again")
    func again() async throws {
        try await ServerFixture.run { fixture in
            let running = try fixture.connect()
            try running.send(get("/gate"))
            try await eventually { fixture.state.calls.count == 1 }
            let drains = (0..<3).map { _ in Task { await fixture.server.drain() } }
            for drain in drains { try await value(of: drain) }
            try await value(of: Task { await fixture.server.drain() })
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test("without connections is done at once, also when its loops have stopped")
    func nothing() async throws {
        try await ServerFixture.run {
            $0.drainTimeout = .seconds(30)
        } _: { fixture in
            try await value(of: Task { await fixture.server.drain() })
            for loop in fixture.loops { loop.stop() }
            try await eventually { fixture.loops.allSatisfy(\.hasStopped) }
            try await value(of: Task { await fixture.server.drain() })
        }
    }
}

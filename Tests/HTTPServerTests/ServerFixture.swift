import Foundation
import Sockets
import TestSupport

@testable import HTTPServer

/// A server with a `TestResponder`, on a free port and on loops of its own, whose clock stands still
/// until the test moves it.
///
/// A test runs on a thread of its own, so that it may block without holding up others. That goes
/// for its child tasks, too: what must run while the test blocks needs a `Task`.
struct ServerFixture: Sendable {
    let server: HTTPServer
    let state: ServerState
    let loops: [EventLoop]
    let clock: TestClock

    var port: Int { server.addresses[0].port ?? 0 }

    static func run<Result>(
        loops count: Int = 1, path: String? = nil,
        configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (ServerFixture) async throws -> Result
    ) async throws -> Result {
        var configuration = ServerConfiguration()
        configure(&configuration)
        let clock = TestClock()
        let loops = try (0..<count).map { try EventLoop(name: "\($0)", clock) }
        let thread = try EventLoop(name: "test")
        defer { for loop in loops + [thread] { loop.stop() } }
        let state = ServerState()
        let address =
            try path.map { try SocketAddress.unix(path: $0) }
            ?? SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]
        let server = try await HTTPServer(
            configuration, sockets: [ListeningSocket(address)], loops: loops
        ) { TestResponder(loop: $0, state: state) }
        let fixture = ServerFixture(server: server, state: state, loops: loops, clock: clock)
        let result = await Swift.Result {
            try await withTaskExecutorPreference(thread) { try await OnLoop(body(fixture)) }
        }
        state.openGate()
        try await fixture.end(of: fixture.drain())
        return try result.get().value
    }

    // MARK: Time

    func advance(by duration: Duration) async { await clock.advance(by: duration, on: loops) }

    /// How many connections wait for something.
    func count(of wait: Wait) async throws -> Int {
        var total = 0
        for server in server.servers {
            total += try await onLoop(server.loop) { server.waiting.count(wait) }
        }
        return total
    }

    /// Waits until so many connections wait for something.
    func waits(_ count: Int = 1, for wait: Wait) async throws {
        try await eventually("\(count) to wait for \(wait)") {
            try await self.count(of: wait) == count
        }
    }

    // MARK: Draining

    /// Tells the server to drain.
    ///
    /// - Returns: Has an element once the server has drained.
    func drain() -> Recorder<Bool> {
        let ended = Recorder<Bool>()
        Task {
            await server.drain()
            ended.record(true)
        }
        return ended
    }

    /// Waits until the server that drains has stopped listening, for which it waits a tenth of a
    /// second.
    func stopsListening() async throws {
        try await eventually("the end of listening") {
            var ended = 0
            for server in server.servers {
                if try await onLoop(server.loop, { server.isDraining }) { ended += 1 }
            }
            if ended == 0 { await advance(by: .milliseconds(10)) }
            return ended == loops.count
        }
    }

    /// Lets the time pass that a server may take to drain.
    func end(of drain: Recorder<Bool>) async throws {
        try await eventually("the end of the server") {
            await advance(by: .seconds(10))
            return drain.count == 1
        }
    }

    // MARK: Clients

    func connect() throws -> RawConnection { try RawConnection(port: port) }

    /// Connects, and does a TLS handshake.
    func connectTLS(_ options: TLSClient.Options = .init()) throws -> RawConnection {
        let connection = try connect()
        try connection.startTLS(options)
        return connection
    }

    /// Sends bytes on a connection of their own and reads one response.
    func exchange(_ text: String) throws -> RawResponse {
        let connection = try connect()
        try connection.send(text)
        return try connection.readResponse()
    }
}

/// A GET request as a client sends it.
func get(_ target: String, _ fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
}

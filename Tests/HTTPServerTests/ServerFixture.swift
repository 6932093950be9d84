import Foundation
import HTTPServer
import Sockets
import TestSupport

/// A server with a `TestResponder`, on a free port and on loops of its own.
///
/// A test runs on a thread of its own, so that it may block without holding up others. That goes
/// for its child tasks, too: what must run while the test blocks needs a `Task`.
struct ServerFixture: Sendable {
    let server: HTTPServer
    let state: ServerState
    let loops: [EventLoop]

    var port: Int { server.addresses[0].port ?? 0 }

    static func run<Result>(
        loops count: Int = 1, path: String? = nil,
        configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (ServerFixture) async throws -> Result
    ) async throws -> Result {
        var configuration = ServerConfiguration()
        // So that a test with open connections ends soon.
        configuration.drainTimeout = .milliseconds(200)
        configure(&configuration)
        let loops = try (0..<count).map { try EventLoop(name: "\($0)") }
        let thread = try EventLoop(name: "test")
        defer { for loop in loops + [thread] { loop.stop() } }
        let state = ServerState()
        let address =
            try path.map { try SocketAddress.unix(path: $0) }
            ?? SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]
        let server = try await HTTPServer(
            configuration, sockets: [ListeningSocket(address)], loops: loops
        ) { TestResponder(loop: $0, state: state) }
        let fixture = ServerFixture(server: server, state: state, loops: loops)
        do {
            let result = try await withTaskExecutorPreference(thread) {
                try await body(fixture)
            }
            state.openGate()
            try await value(of: Task { await server.drain() })
            return result
        } catch {
            state.openGate()
            try await value(of: Task { await server.drain() })
            throw error
        }
    }

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

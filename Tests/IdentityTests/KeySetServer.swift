import Foundation
import HTTP
import HTTPClient
import HTTPServer
import HTTPTypes
import Sockets
import Synchronization
import TestSupport
import Work

@testable import Identity

/// An issuer's server that gives a key set, and counts how often it is asked.
final class KeySetServer: Responder {
    private struct State {
        var response: Response
        var requests = 0
    }

    private let state: Mutex<State>

    init(_ keys: [TestKey]) throws {
        state = Mutex(State(response: Response(body: Array(try TestKey.set(keys).utf8))))
    }

    var requests: Int { state.withLock { $0.requests } }

    func give(_ keys: [TestKey]) throws {
        let body = Array(try TestKey.set(keys).utf8)
        state.withLock { $0.response = Response(body: body) }
    }

    func give(_ status: HTTPResponse.Status, _ text: String) {
        state.withLock { $0.response = Response(status: status, body: Array(text.utf8)) }
    }

    func respond(to request: Request, from client: ClientAddress) async -> Response {
        state.withLock { state in
            state.requests += 1
            return state.response
        }
    }

    func response(to error: ConnectionError) -> Response { Response(status: .badRequest) }

    /// Runs `body` with a verifier that trusts the issuer behind this server.
    ///
    /// - Parameter attemptInterval: How often the verifier may ask for a key it does not know.
    func serve(
        attemptInterval: Duration, _ body: (TokenVerifier) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let socket = try ListeningSocket(
                SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
            let server = try await HTTPServer(
                ServerConfiguration(), sockets: [socket], loops: [loop]
            ) { _ in self }
            let client = HTTPClient(on: loop)
            let url = "http://127.0.0.1:\(server.addresses[0].port ?? 0)/keys"
            let keys = KeySet(
                CacheTerms(
                    name: "test", loop: loop, logger: .silent, attemptInterval: attemptInterval),
                client: client
            ) { url }
            try await body(
                TokenVerifier([
                    TrustedIssuer(
                        issuer: "https://issuer.example", audience: "fave", keys: keys)
                ]))
            await client.close()
            await server.drain()
        }
    }
}

extension Duration {
    /// Longer than any test takes.
    static let day = Duration.seconds(86_400)
}

import Foundation
import HTTP
import HTTPClient
import HTTPServer
import HTTPTypes
import Sockets
import TestSupport

/// A client on a loop of its own, and a server that answers it on another.
struct ClientFixture: Sendable {
    let client: HTTPClient
    let loop: EventLoop
    let server: HTTPServer
    let state: AnswererState

    var base: String { "http://127.0.0.1:\(server.addresses[0].port ?? 0)" }

    static func run<Result>(
        configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (ClientFixture) async throws -> Result
    ) async throws -> Result {
        // Whatever the surroundings say, the tests talk to this machine.
        setenv("no_proxy", "*", 1)
        var configuration = ServerConfiguration()
        configuration.drainTimeout = .milliseconds(50)
        configuration.limits.bodyBytes = 8 << 20
        configure(&configuration)
        return try await withLoop { serverLoop in
            try await withLoop { loop in
                let state = AnswererState()
                let address = try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]
                let server = try await HTTPServer(
                    configuration, sockets: [ListeningSocket(address)], loops: [serverLoop]
                ) { Answerer(loop: $0, state: state) }
                let client = HTTPClient(on: loop)
                let fixture = ClientFixture(
                    client: client, loop: loop, server: server, state: state)
                let result = await Swift.Result { try await OnLoop(body(fixture)) }
                await client.close()
                try await value(of: Task { await server.drain() })
                return try result.get().value
            }
        }
    }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        try await onLoop(loop) { try await client.send(request) }
    }

    func get(_ path: String) async throws -> ClientResponse {
        try await send(ClientRequest(.get, base + path))
    }

    /// Why a request failed; `nil` if it did not.
    func failure(of request: ClientRequest) async throws -> HTTPClientError.Code? {
        do {
            _ = try await send(request)
            return nil
        } catch let error as HTTPClientError {
            return error.code
        }
    }
}

final class AnswererState: Sendable {
    let requests = Recorder<Request>()
}

/// Answers by the first segment of the path; the second is its argument.
struct Answerer: Responder {
    let loop: EventLoop
    let state: AnswererState

    func respond(to request: Request, from client: ClientAddress) async -> Response {
        state.requests.record(request)
        let segments = request.target.segments
        let number = segments.count > 1 ? Int(segments[1]) ?? 0 : 0
        switch segments.first {
        case "echo": return Response(body: request.body)
        case "big": return Response(body: [UInt8](repeating: 0x78, count: number))
        case "status": return Response(status: HTTPResponse.Status(code: number))
        case "redirect":
            return Response(status: .found, headerFields: [.location: "/elsewhere"])
        case "never":
            await withCheckedContinuation { continuation in
                loop.schedule(after: .seconds(3)) { continuation.resume() }
            }
        case "slow":
            await withCheckedContinuation { continuation in
                loop.schedule(after: .milliseconds(number)) { continuation.resume() }
            }
        case "fields":
            var response = Response(headerFields: [.server: "test", .eTag: "\"a\""])
            response.headerFields.append(HTTPField(name: .setCookie, value: "a=1"))
            response.headerFields.append(HTTPField(name: .setCookie, value: "b=2"))
            return response
        case "manyFields":
            var response = Response()
            for _ in 0..<100 {
                response.headerFields.append(
                    HTTPField(name: .setCookie, value: String(repeating: "x", count: 1000)))
            }
            return response
        case "gzip":
            return Response(headerFields: [.contentEncoding: "gzip"], body: Self.fiveThousandX)
        default: break
        }
        return Response(body: Array("\(request.method.rawValue) \(request.target.path)".utf8))
    }

    func response(to error: ConnectionError) -> Response { Response(status: .badRequest) }

    /// Five thousand times "x", compressed.
    private static let fiveThousandX = [UInt8](
        Data(
            base64Encoded: "H4sIAAAAAAACA+3BMQEAAADCoNqLbwo/oAAAAACAtwEm8NsAiBMAAA=="
        ) ?? Data())
}

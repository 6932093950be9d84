import Foundation
import HTTP
import HTTPClient
import HTTPServer
import HTTPTypes
import Sockets
import TestSupport

/// A client on a loop of its own, and a server for it on another. Their clocks stand still until
/// the test moves them.
struct ClientFixture: Sendable {
    let client: HTTPClient
    let loop: EventLoop
    let clock: TestClock
    let serverLoop: EventLoop
    let serverClock: TestClock
    let server: HTTPServer
    let state: ResponderState

    var base: String { "http://127.0.0.1:\(server.addresses[0].port ?? 0)" }

    static func run<Result>(
        configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (ClientFixture) async throws -> Result
    ) async throws -> Result {
        Surroundings.ignoreProxies()
        var configuration = ServerConfiguration()
        configuration.limits.bodyBytes = 8 << 20
        configure(&configuration)
        let (clock, serverClock) = (TestClock(), TestClock())
        return try await withLoop(serverClock) { serverLoop in
            try await withLoop(clock) { loop in
                let state = ResponderState()
                let address = try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]
                let server = try await HTTPServer(
                    configuration, sockets: [ListeningSocket(address)], loops: [serverLoop]
                ) { _ in ScriptedResponder(state: state) }
                let client = HTTPClient(on: loop)
                let fixture = ClientFixture(
                    client: client, loop: loop, clock: clock, serverLoop: serverLoop,
                    serverClock: serverClock, server: server, state: state)
                let result = await Swift.Result { try await OnLoop(body(fixture)) }
                await client.close()
                let drained = Recorder<Bool>()
                Task {
                    await server.drain()
                    drained.record(true)
                }
                try await eventually("the end of the server") {
                    await serverClock.advance(by: .seconds(10), on: serverLoop)
                    return drained.count == 1
                }
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

final class ResponderState: Sendable {
    let requests = Recorder<Request>()
}

/// Responds by the first segment of the path; the second is its argument.
struct ScriptedResponder: Responder {
    let state: ResponderState

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
        // Until the connection is closed.
        case "never": try? await Task.sleep(for: .seconds(86_400))
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

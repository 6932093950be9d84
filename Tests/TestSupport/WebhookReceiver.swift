import Foundation
import HTTP
import HTTPServer
import HTTPTypes
import Sockets
import Synchronization

/// A stand-in for a chat: records what it gets, and responds as the test says.
public final class WebhookReceiver: Responder {
    public struct Received: Sendable {
        public let id: String
        public let time: Int
        public let signature: String
        public let type: String
        public let body: [UInt8]

        public var object: [String: Any] {
            get throws {
                let json = try JSONSerialization.jsonObject(with: Data(body))
                guard let object = json as? [String: Any] else { throw TestFailure("no object") }
                return object
            }
        }
    }

    public let received = Recorder<Received>()
    /// The statuses of the next responses; afterwards, 204.
    private let statuses: Mutex<[Int]>

    private init(_ statuses: [Int]) { self.statuses = Mutex(statuses) }

    /// Runs `body` with a receiver and its address.
    public static func run<Result>(
        _ statuses: [Int] = [], _ body: (WebhookReceiver, String) async throws -> Result
    ) async throws -> Result {
        Surroundings.ignoreProxies()
        let receiver = WebhookReceiver(statuses)
        return try await withLoop { loop in
            let address = try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]
            let server = try await HTTPServer(
                ServerConfiguration(), sockets: [ListeningSocket(address)], loops: [loop]
            ) { _ in receiver }
            let result = await Swift.Result {
                try await OnLoop(
                    body(receiver, "http://127.0.0.1:\(server.addresses[0].port ?? 0)/hook"))
            }
            await server.drain()
            return try result.get().value
        }
    }

    public func respond(to request: Request, from client: ClientAddress) async -> Response {
        func field(_ name: String) -> String {
            HTTPField.Name(name).flatMap { request.headerFields[$0] } ?? ""
        }
        received.record(
            Received(
                id: field("webhook-id"), time: Int(field("webhook-timestamp")) ?? 0,
                signature: field("webhook-signature"), type: field("content-type"),
                body: request.body))
        let status = statuses.withLock { $0.isEmpty ? 204 : $0.removeFirst() }
        var response = Response(status: HTTPResponse.Status(code: status))
        if status == 302 { response.headerFields[.location] = "/elsewhere" }
        return response
    }

    public func response(to error: ConnectionError) -> Response { Response(status: .badRequest) }
}

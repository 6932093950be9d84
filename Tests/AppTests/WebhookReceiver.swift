import Foundation
import HTTP
import HTTPServer
import HTTPTypes
import Sockets
import Synchronization
import TestSupport

/// A stand-in for a chat: records what it gets, and responds as the test says.
final class WebhookReceiver: Responder {
    struct Received: Sendable {
        let id: String
        let time: Int
        let signature: String
        let type: String
        let body: [UInt8]

        var object: [String: Any] {
            get throws {
                let json = try JSONSerialization.jsonObject(with: Data(body))
                guard let object = json as? [String: Any] else { throw TestFailure("no object") }
                return object
            }
        }
    }

    let received = Recorder<Received>()
    /// The statuses of the next responses; afterwards, 204.
    private let statuses: Mutex<[Int]>

    private init(_ statuses: [Int]) { self.statuses = Mutex(statuses) }

    /// Runs `body` with a receiver and its address.
    static func run<Result>(
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

    func respond(to request: Request, from client: ClientAddress) async -> Response {
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

    func response(to error: ConnectionError) -> Response { Response(status: .badRequest) }
}

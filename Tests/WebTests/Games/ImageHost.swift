import Foundation
import HTTP
import HTTPServer
import HTTPTypes
import Sockets
import Synchronization
import TestSupport

/// A stand-in for IGDB's image host, which says what it was asked for.
final class ImageHost: Responder {
    /// Gray, 8×11.
    static let cover = Array(
        Data(
            base64Encoded: """
                /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+\
                MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//wAALCAALAAgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAEC\
                AwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAk\
                M2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJ\
                ipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3\
                +Pn6/9oACAEBAAA/AIqK/9k=
                """) ?? Data())

    private let asked = Recorder<String>()
    private let current = Mutex<(status: HTTPResponse.Status, type: String, body: [UInt8])>(
        (.ok, "image/jpeg", cover))

    /// The paths that were asked for, in order.
    var paths: [String] { asked.elements }

    /// What it answers from now on.
    func answer(
        _ status: HTTPResponse.Status = .ok, type: String = "image/jpeg", _ body: [UInt8] = cover
    ) {
        current.withLock { $0 = (status, type, body) }
    }

    func respond(to request: Request, from client: ClientAddress) async -> Response {
        asked.record(request.target.path)
        return current.withLock {
            Response(status: $0.status, headerFields: [.contentType: $0.type], body: $0.body)
        }
    }

    func response(to error: ConnectionError) -> Response { Response(status: .badRequest) }

    /// Runs `body` with the settings of a server that serves covers from here.
    func serve<Result>(
        folder: String?, _ body: ([String: String]) async throws -> Result
    ) async throws -> Result {
        try await withLoop { loop in
            let socket = try ListeningSocket(
                SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
            let server = try await HTTPServer(
                ServerConfiguration(), sockets: [socket], loops: [loop]
            ) { _ in self }
            var settings = [
                "COVERS": "proxied",
                "COVER_IMAGES_URL": "http://127.0.0.1:\(server.addresses[0].port ?? 0)/images",
            ]
            settings["COVERS_FOLDER"] = folder
            do {
                let result = try await body(settings)
                await server.drain()
                return result
            } catch {
                await server.drain()
                throw error
            }
        }
    }
}

import Foundation
import HTTP
import HTTPServer
import HTTPTypes
import Sockets
import TestSupport

/// A site of someone else, on a port of its own, with the files of a front end.
struct FrontEndSite: Responder {
    private let files: [String: Response]
    /// A page that the test makes.
    private let page: @Sendable () -> String

    private init(_ page: @escaping @Sendable () -> String) throws {
        self.page = page
        let folder = TestDatabase.repository + "/Tests/BrowserTests/FrontEnd"
        var files: [String: Response] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let type = name.hasSuffix(".js") ? "text/javascript" : "text/html; charset=utf-8"
            let body = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            files[name] = Response(headerFields: [.contentType: type], body: Array(body))
        }
        self.files = files
    }

    /// - Parameters:
    ///   - page: What is at `/page`.
    ///   - body: Gets the port.
    static func run<Result>(
        page: @escaping @Sendable () -> String = { "" }, _ body: (Int) async throws -> Result
    ) async throws -> Result {
        let site = try FrontEndSite(page)
        return try await withLoop { loop in
            let address = try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]
            let server = try await HTTPServer(
                ServerConfiguration(), sockets: [ListeningSocket(address)], loops: [loop]
            ) { _ in site }
            return try await body(server.addresses[0].port ?? 0)
        }
    }

    func respond(to request: Request, from client: ClientAddress) async -> Response {
        let name = request.target.segments.first ?? "index.html"
        guard name == "page" else { return files[name] ?? Response(status: .notFound) }
        return Response(
            headerFields: [.contentType: "text/html; charset=utf-8"], body: Array(page().utf8))
    }

    func response(to error: ConnectionError) -> Response { Response(status: .badRequest) }
}

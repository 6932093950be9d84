import Endpoints
import HTTP
import HTTPServer
import HTTPTypes
import Sockets

/// Redirects clients that use unencrypted HTTP to the same path of the https site.
public struct HTTPSRedirect: Responder {
    private let publicURL: String

    /// - Parameter publicURL: The site's public address. Only the path and the query come from the
    ///   client: its Host field could lead anywhere.
    public init(to publicURL: String) {
        self.publicURL = publicURL
    }

    public func respond(to request: Request, from client: ClientAddress) async -> Response {
        guard request.target.form != .asterisk else {
            return Response(status: .noContent, headerFields: [.allow: "GET, HEAD, OPTIONS"])
        }
        let query = request.target.query.map { "?" + $0 } ?? ""
        let address = publicURL + request.target.path + query
        // Every client knows 301, but many turn a request that isn't a GET into one (RFC 9110
        // section 15.4.2).
        let status: HTTPResponse.Status =
            request.method.isRead ? .movedPermanently : .permanentRedirect
        return Self.response(status, [.location: address], "This site is at \(publicURL).\n")
    }

    public func response(to error: ConnectionError) -> Response {
        let problem = Problem(error)
        return Self.response(problem.status, problem.headerFields, "\(error.description)\n")
    }

    private static func response(
        _ status: HTTPResponse.Status, _ fields: HTTPFields, _ text: String
    ) -> Response {
        var response = Response(status: status, headerFields: fields, body: Array(text.utf8))
        response.headerFields[.contentType] = "text/plain; charset=utf-8"
        return response
    }
}

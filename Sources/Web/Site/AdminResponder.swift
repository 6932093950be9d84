import Endpoints
public import HTTP
public import HTTPServer
import HTTPTypes
public import Monitoring
public import Sockets
public import Storage

/// Responds to the operator's monitors on the admin listener of one loop.
public struct AdminResponder: Responder {
    private let registry: MetricRegistry
    private let health: Health
    private let store: Store
    private let isOnLoopback: Bool

    /// - Parameter isOnLoopback: Whether the listener is on a loopback address. Clients must use such
    ///   an address, too.
    public init(
        _ registry: MetricRegistry, _ health: Health, _ store: Store, isOnLoopback: Bool
    ) {
        self.registry = registry
        self.health = health
        self.store = store
        self.isOnLoopback = isOnLoopback
    }

    public func respond(to request: Request, from client: ClientAddress) async -> Response {
        guard !isOnLoopback || Self.isLoopback(request.authority) else {
            // A page that someone opens in a browser on this machine may have had the name of its
            // own site resolved to this address.
            return Self.text(
                "Use a loopback address or localhost for this.\n", .misdirectedRequest)
        }
        guard request.method == .get || request.method == .head else {
            var response = Self.text("Only GET and HEAD.\n", .methodNotAllowed)
            response.headerFields[.allow] = "GET, HEAD"
            return response
        }
        switch request.target.path {
        case "/metrics":
            var response = Response(body: await registry.exposition())
            response.headerFields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
            return response
        case "/live": return Self.text("live\n")
        case "/ready":
            guard let problem = await health.problem(asking: store) else {
                return Self.text("ready\n")
            }
            if case .refused(let reason) = problem {
                return Self.text("\(reason)\n", .serviceUnavailable)
            }
            return Self.text("\(problem)\n", .serviceUnavailable)
        default: return Self.text("Available here: /metrics, /live and /ready.\n", .notFound)
        }
    }

    public func response(to error: ConnectionError) -> Response {
        let problem = Problem(error)
        var response = Self.text("\(error.description)\n", problem.status)
        for field in problem.headerFields { response.headerFields[field.name] = field.value }
        return response
    }

    private static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headerFields: [
                .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
            ],
            body: Array(text.utf8))
    }

    private static func isLoopback(_ authority: String) -> Bool {
        var host = authority[...]
        if host.hasPrefix("[") {
            host = host.dropFirst().prefix { $0 != "]" }
        } else {
            host = host.prefix { $0 != ":" }
        }
        return host.lowercased() == "localhost" || IPAddress(String(host))?.isLoopback == true
    }
}

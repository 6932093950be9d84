import Endpoints
import HTTP
import HTTPTypes
import Languages
import Views

/// Has the handler of the request's address make the response.
struct RouteStep: Sendable {
    let router: Router<Route>
    private let crossOrigin: CORS

    init(_ router: Router<Route>, _ settings: WebSettings) {
        self.router = router
        crossOrigin = CORS(settings)
    }

    func respond(_ incoming: IncomingRequest, _ services: Services) async throws -> Response {
        if incoming.request.target.form == .asterisk {
            return Response(
                status: .noContent, headerFields: [.allow: "GET, HEAD, OPTIONS"])
        }
        switch incoming.match {
        case .found(let route, let parameters):
            try crossOrigin.check(incoming)
            let context = try RequestContext(incoming, parameters, services)
            if route.signIn != .required, incoming.kind.isAPI {
                // A client may send its expired token with what gets it the next one. The first front
                // end shows what everyone may see instead.
                let mustBeValid = incoming.kind == .api && incoming.request.method.isRead
                try await context.recogniseToken(mustBeValid: mustBeValid)
            }
            return try await route.respond(context)
        case .methodNotImplemented:
            throw Problem(.notImplemented, .english("No address here supports this method."))
        case .methodNotAllowed(let allowed, _):
            let problem = Problem.methodNotAllowed(allowed)
            guard incoming.request.method == .options else { throw problem }
            let closed = allowed.filter { isClosed($0, incoming.request.target.segments) }
            return crossOrigin.preflight(incoming, methods: allowed, closed: closed)
                ?? Response(status: .noContent, headerFields: problem.headerFields)
        case .notFound where incoming.kind.isAPI:
            // Without a response to this, a page would not see the 404.
            let preflight = crossOrigin.preflight(
                incoming, methods: [.delete, .get, .head, .options, .patch, .post, .put])
            if let preflight { return preflight }
            throw Problem.notFound(
                .english(
                    "There is nothing at this address. /api/v1/openapi.json lists all addresses."))
        case .notFound:
            if let path = pathWithoutSlash(incoming) { return .redirect(to: path) }
            throw Problem.notFound(.checkLink)
        }
    }

    private func isClosed(_ method: HTTPRequest.Method, _ segments: [String]) -> Bool {
        guard case .found(let route, _) = router.match(method, segments) else { return false }
        return !route.isForEveryOrigin
    }

    /// Checks who sends a large body, before it is read.
    ///
    /// - Throws: What the response says, if the body is not to be read.
    func admit(_ incoming: IncomingRequest, _ services: Services) async throws {
        guard case .found(let route, let parameters) = incoming.match else { return }
        try crossOrigin.check(incoming)
        try await route.admit(RequestContext(incoming, parameters, services))
    }

    /// The address of the page that is there without the slash at the end, if there is one.
    private func pathWithoutSlash(_ incoming: IncomingRequest) -> String? {
        let target = incoming.request.target
        guard incoming.kind == .page, incoming.request.method.isRead, target.segments.last == "",
            case .found(let route, _) = router.match(.get, target.segments.dropLast()),
            route.kind == .page
        else { return nil }
        return target.path.dropLast() + (target.query.map { "?\($0)" } ?? "")
    }
}

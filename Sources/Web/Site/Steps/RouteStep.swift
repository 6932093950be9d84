import Endpoints
import HTTP
import HTTPTypes

/// Has the handler of the request's address make the response.
struct RouteStep: Sendable {
    let router: Router<Route>
    private let crossOrigin: CORS

    init(_ router: Router<Route>, _ settings: WebSettings) {
        self.router = router
        crossOrigin = CORS(settings)
    }

    func respond(_ context: IncomingRequest, _ services: Services) async throws -> Response {
        if context.request.target.form == .asterisk {
            return Response(
                status: .noContent, headerFields: [.allow: "GET, HEAD, OPTIONS"])
        }
        switch context.match {
        case .found(let route, let parameters):
            try crossOrigin.check(context)
            let call = try Call(context, parameters, services)
            if context.kind == .api { try call.checkNamesOnce() }
            return try await route.respond(call)
        case .methodNotImplemented:
            throw Problem(.notImplemented, "No address here supports this method.")
        case .methodNotAllowed(let allowed, _):
            let problem = Problem.methodNotAllowed(allowed)
            guard context.request.method == .options else { throw problem }
            return crossOrigin.preflight(context, methods: allowed)
                ?? Response(status: .noContent, headerFields: problem.headerFields)
        case .notFound:
            if let path = pathWithoutSlash(context) { return .redirect(to: path) }
            throw Problem.notFound("Check the link, or search for a game.")
        }
    }

    /// Checks who sends a large body, before it is read.
    ///
    /// - Throws: What the response says, if the body is not to be read.
    func admit(_ context: IncomingRequest, _ services: Services) async throws {
        guard case .found(let route, let parameters) = context.match else { return }
        try crossOrigin.check(context)
        try await route.admit(Call(context, parameters, services))
    }

    /// The address of the page that is there without the slash at the end, if there is one.
    private func pathWithoutSlash(_ context: IncomingRequest) -> String? {
        let target = context.request.target
        guard context.kind == .page, context.request.method.isRead, target.segments.last == "",
            case .found(let route, _) = router.match(.get, target.segments.dropLast()),
            route.kind == .page
        else { return nil }
        return target.path.dropLast() + (target.query.map { "?\($0)" } ?? "")
    }
}

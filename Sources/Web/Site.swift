import HTTP
import HTTPServer
import HTTPTypes
import Logging

/// Answers every request of one loop: finds the route, runs its handler, and turns errors into
/// problem documents or pages.
public struct Site: Responder {
    private let services: Services
    private let router: Router<Handler>

    public init(_ services: Services) {
        self.services = services
        router = Routes.router
    }

    public func respond(to request: Request, from client: ClientAddress) async -> Response {
        let client = services.settings.trustedProxies.client(of: request, peer: client)
        var context = PageContext(services)
        var response: Response
        do {
            if Self.isPage(request) { context.visitor = try await services.visitor(request) }
            response = try await answer(request, client, context.visitor)
        } catch {
            response = self.response(to: error, for: request, context)
        }
        if Self.isPage(request) { Self.protect(&response, isPrivate: context.visitor != nil) }
        // Without the query: it is nobody's business what people search for.
        services.logger.debug(
            "\(client) \(request.method.rawValue) \(request.target.path) \(response.status.code)")
        return response
    }

    /// Whether who is signed in with the browser makes a difference.
    private static func isPage(_ request: Request) -> Bool {
        let segments = request.target.segments
        guard let first = segments.first else { return true }
        // What belongs to a list, its card, is the same for everybody.
        if first.hasPrefix("@"), segments.count > 1 { return false }
        return !["api", "assets", "ping", ".well-known"].contains(first)
    }

    /// Caches must not mix up what different people see.
    private static func protect(_ response: inout Response, isPrivate: Bool) {
        response.headerFields[.vary] = "Cookie"
        if isPrivate, response.headerFields[.cacheControl] == "no-cache" {
            response.headerFields[.cacheControl] = "private, no-cache"
        }
    }

    private func answer(
        _ request: Request, _ client: ClientAddress, _ visitor: Visitor?
    ) async throws -> Response {
        if request.target.form == .asterisk {
            return Response(status: .noContent, headerFields: [.allow: "GET, HEAD, OPTIONS"])
        }
        switch router.match(request.method, request.target.segments) {
        case .found(let handler, let parameters):
            return try await handler(
                Call(
                    request, parameters: parameters, services: services, client: client,
                    visitor: visitor))
        case .methodNotAllowed(let allowed):
            let problem = Problem.methodNotAllowed(allowed)
            guard request.method != .options else {
                return Response(status: .noContent, headerFields: problem.headerFields)
            }
            throw problem
        case .notFound:
            throw Problem.notFound("There is nothing at this address.")
        }
    }

    private func response(
        to error: any Error, for request: Request, _ context: PageContext
    ) -> Response {
        if let error = error as? SignInRequired {
            return .seeOther(ReturnPath.appending(error.returnPath, to: "/sign-in"))
        }
        let problem = Problem(error, logger: services.logger)
        guard request.target.segments.first != "api" else { return problem.response }
        return ErrorPage.response(to: problem, context)
    }

    public func response(to error: ConnectionError) -> Response {
        // There is no request that could say whether it wants a page.
        Problem(error).response
    }
}

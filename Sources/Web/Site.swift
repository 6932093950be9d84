import HTTP
import HTTPServer
import HTTPTypes
import Logging

/// Answers every request of one loop: finds the route, runs its handler, and turns errors into
/// problem documents or pages.
public struct Site: Responder {
    private let services: Services
    private let router: Router<Handler>
    private let securityFields: SecurityFields

    public init(_ services: Services) {
        self.services = services
        router = Routes.router
        securityFields = SecurityFields(services.settings)
    }

    public func respond(to request: Request, from client: ClientAddress) async -> Response {
        let client = services.settings.trustedProxies.client(of: request, peer: client)
        let kind = AddressKind(request.target)
        var context = PageContext(services)
        var response: Response
        do {
            if kind == .page { context.visitor = try await services.visitor(request) }
            response = try await answer(request, client, context.visitor)
        } catch {
            response = self.response(to: error, at: request.target, kind, context)
        }
        if kind == .page { Self.protect(&response, isPrivate: context.visitor != nil) }
        securityFields.add(to: &response, of: kind)
        // Without the query: it is nobody's business what people search for.
        services.logger.debug(
            "\(client) \(request.method.rawValue) \(request.target.path) \(response.status.code)")
        return response
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
        to error: any Error, at target: RequestTarget, _ kind: AddressKind, _ context: PageContext
    ) -> Response {
        if V0Error.isExpected(at: target) {
            return V0Error(error, logger: services.logger).response
        }
        if let error = error as? SignInRequired {
            return .seeOther(ReturnPath.appending(error.returnPath, to: "/sign-in"))
        }
        let problem = Problem(error, logger: services.logger)
        return switch kind {
        case .document: problem.response
        case .embed: EmbedPage.response(to: problem, services)
        case .page, .file: ErrorPage.response(to: problem, context)
        }
    }

    public func response(to error: ConnectionError) -> Response {
        // There is no request that could say whether it wants a page.
        var response = Problem(error).response
        securityFields.add(to: &response, of: .document)
        return response
    }
}

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
        let response: Response
        do {
            response = try await answer(request)
        } catch {
            response = self.response(to: Problem(error, logger: services.logger), for: request)
        }
        // Without the query: it is nobody's business what people search for.
        services.logger.debug(
            "\(client) \(request.method.rawValue) \(request.target.path) \(response.status.code)")
        return response
    }

    private func answer(_ request: Request) async throws -> Response {
        if request.target.form == .asterisk {
            return Response(status: .noContent, headerFields: [.allow: "GET, HEAD, OPTIONS"])
        }
        switch router.match(request.method, request.target.segments) {
        case .found(let handler, let parameters):
            return try await handler(
                Call(request, parameters: parameters, services: services))
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

    private func response(to problem: Problem, for request: Request) -> Response {
        guard request.target.segments.first != "api" else { return problem.response }
        return ErrorPage.response(to: problem, services: services)
    }

    public func response(to error: ConnectionError) -> Response {
        // There is no request that could say whether it wants a page.
        Problem(error).response
    }
}

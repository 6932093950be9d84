import HTTP
import HTTPServer
import HTTPTypes
import Logging
import Sockets

/// Answers every request of one loop: finds the route, runs its handler, and turns errors into
/// problem documents or pages.
public struct Site: Responder {
    private let services: Services
    private let router = Routes.router
    private let securityFields: SecurityFields
    private let crossOrigin: CORS
    private let caching: APICaching
    private let kept = KeptAnswers()

    public init(_ services: Services) {
        self.services = services
        securityFields = SecurityFields(services.settings)
        crossOrigin = CORS(services.settings)
        caching = APICaching(services.settings)
    }

    public func respondAtOnce(to request: Request, from peer: ClientAddress) -> Response? {
        guard var response = kept.answer(to: request) else { return nil }
        number(&response, Exchange(request, from: peer, services))
        return response
    }

    public func respond(to request: Request, from peer: ClientAddress) async -> Response {
        var exchange = Exchange(request, from: peer, services, router)
        var response: Response
        do {
            try countRequest(exchange)
            try await recogniseVisitor(&exchange)
            response = try await answer(exchange)
            response = try tag(response, exchange)
        } catch {
            response = self.response(to: error, exchange)
        }
        // Every response, even an error, passes these steps in this order.
        keepApart(&response, exchange)
        caching.apply(to: &response, exchange)
        crossOrigin.add(to: &response, exchange)
        exchange.allowance?.settle(&response)
        securityFields.add(to: &response, of: exchange.kind)
        keep(response, exchange)
        number(&response, exchange)
        return response
    }

    public func response(to error: ConnectionError) -> Response {
        // There is no request that could say whether it wants a page.
        let id = RequestID()
        var response = Problem(error).response(
            publicURL: services.settings.publicURL, requestID: id)
        crossOrigin.addToRefusal(&response)
        response.headerFields[.xRequestID] = id.text
        securityFields.add(to: &response, of: .api)
        return response
    }

    // MARK: Before the answer

    /// - Throws: 429 if the client has sent too many requests to the API.
    private func countRequest(_ exchange: Exchange) throws(Problem) {
        guard let allowance = exchange.allowance, exchange.request.method != .options,
            let network = exchange.client.network
        else { return }
        try allowance.charge(.address(network))
    }

    /// Finds the visitor who is signed in, for pages only.
    private func recogniseVisitor(_ exchange: inout Exchange) async throws {
        guard exchange.kind == .page else { return }
        exchange.visitor = try await services.visitor(exchange.request)
    }

    // MARK: The answer

    private func answer(_ exchange: Exchange) async throws -> Response {
        if exchange.request.target.form == .asterisk {
            return Response(
                status: .noContent, headerFields: [.allow: "GET, HEAD, OPTIONS"])
        }
        switch exchange.match {
        case .found(let route, let parameters):
            let call = try Call(
                exchange.negotiatedRequest, id: exchange.id, parameters: parameters,
                services: services,
                client: exchange.client, visitor: exchange.visitor, allowance: exchange.allowance)
            if exchange.kind == .api { try call.checkNamesOnce() }
            return try await route.respond(call)
        case .methodNotImplemented:
            throw Problem(.notImplemented, "No address here takes this method.")
        case .methodNotAllowed(let allowed, _):
            let problem = Problem.methodNotAllowed(allowed)
            guard exchange.request.method == .options else { throw problem }
            return crossOrigin.preflight(exchange, methods: allowed)
                ?? Response(status: .noContent, headerFields: problem.headerFields)
        case .notFound:
            throw Problem.notFound("Check the link, or search for a game.")
        }
    }

    /// Gives a response a tag, unless its handler has given it one, and compresses it.
    private func tag(_ response: Response, _ exchange: Exchange) throws -> Response {
        guard exchange.request.method.isRead, response.status == .ok,
            !response.headerFields.contains(.eTag),
            response.headerFields[.cacheControl] != "no-store"
        else { return response }
        return try response.conditional(for: exchange.negotiatedRequest, gzip: services.gzip)
    }

    private func response(to error: any Error, _ exchange: Exchange) -> Response {
        if let moved = error as? Moved { return .temporaryRedirect(to: moved.path) }
        if exchange.kind == .v0 {
            return V0Error(error, logger: exchange.logger).response(to: exchange.request)
        }
        if let error = error as? SignInRequired {
            return .seeOther(ReturnPath.appending(error.returnPath, to: "/sign-in"))
        }
        let problem = Problem(error, logger: exchange.logger)
        return switch exchange.kind {
        case .api, .v0, .document:
            problem.response(publicURL: services.settings.publicURL, requestID: exchange.id)
        case .embed: EmbedPage.response(to: problem, services)
        case .page, .file:
            ErrorPage.response(to: problem, PageContext(services, visitor: exchange.visitor))
        }
    }

    // MARK: After the answer

    /// Tells caches not to mix up what different people see.
    private func keepApart(_ response: inout Response, _ exchange: Exchange) {
        guard exchange.kind == .page else { return }
        response.headerFields.vary(by: "Cookie")
        if exchange.visitor != nil, response.headerFields[.cacheControl] == "no-cache" {
            response.headerFields[.cacheControl] = "private, no-cache"
        }
    }

    /// Keeps a response that stays the same, for `respondAtOnce`.
    private func keep(_ response: Response, _ exchange: Exchange) {
        guard exchange.route?.isConstant == true else { return }
        kept.keep(response, to: exchange.request, isForStrangers: exchange.kind == .page)
    }

    /// Gives a response the request's id, and logs the request.
    private func number(_ response: inout Response, _ exchange: Exchange) {
        response.headerFields[.xRequestID] = exchange.id.text
        guard services.logger.logLevel <= .debug else { return }
        let request = exchange.request
        // The query is left out: what people search for is no one else's business.
        exchange.logger.debug(
            "\(exchange.client) \(request.method.rawValue) \(request.target.path) \(response.status.code)"
        )
    }
}

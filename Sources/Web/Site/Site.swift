import HTTP
import HTTPServer
import HTTPTypes
import Logging
import Sockets

/// Answers every request of one loop: finds the route, runs its handler, and turns errors into
/// problem documents or pages.
public struct Site: Responder {
    private let services: Services
    private let router: Router<Endpoint>
    private let securityFields: SecurityFields
    private let crossOrigin: CORS
    private let caching: APICaching
    private let kept = KeptAnswers()

    public init(_ services: Services) {
        self.services = services
        router = Routes.router
        securityFields = SecurityFields(services.settings)
        crossOrigin = CORS(services.settings)
        caching = APICaching(services.settings)
    }

    public func respondAtOnce(to request: Request, from peer: ClientAddress) -> Response? {
        guard var response = kept.answer(to: request) else { return nil }
        finish(&response, id(of: request, from: peer), to: request, from: peer)
        return response
    }

    private func id(of request: Request, from peer: ClientAddress) -> RequestID {
        RequestID(of: request, isTrusted: services.settings.trustedProxies.contains(peer))
    }

    /// Gives an answer what it has for itself.
    private func finish(
        _ response: inout Response, _ id: RequestID, to request: Request, from peer: ClientAddress
    ) {
        response.headerFields[.xRequestID] = id.text
        guard services.logger.logLevel <= .debug else { return }
        let client = services.settings.trustedProxies.client(of: request, peer: peer)
        // Without the query: it is nobody's business what people search for.
        services.logger.debug(
            "\(client) \(request.method.rawValue) \(request.target.path) \(response.status.code)",
            metadata: [RequestID.metadataKey: "\(id.text)"])
    }

    public func respond(to request: Request, from peer: ClientAddress) async -> Response {
        let id = id(of: request, from: peer)
        let client = services.settings.trustedProxies.client(of: request, peer: peer)
        let kind = AddressKind(request.target)
        var context = PageContext(services)
        let allowance = kind == .api ? Allowance(services.rateLimiter, for: request) : nil
        var response: Response
        var isConstant = false
        do {
            if kind == .page { context.visitor = try await services.visitor(request) }
            if let allowance, request.method != .options, let network = client.network {
                try allowance.charge(.address(network))
            }
            let isSecret =
                context.visitor != nil || request.contains(.authorization)
            let request = isSecret ? request.withoutCoding : request
            (response, isConstant) = try await answer(
                request, id, client, context.visitor, allowance, kind)
            response = try complete(response, for: request)
        } catch {
            response = self.response(to: error, id, for: request, kind, context)
        }
        switch kind {
        case .page: Self.protect(&response, isPrivate: context.visitor != nil)
        case .api: caching.apply(to: &response, for: request)
        case .embed, .document, .file: break
        }
        if kind == .api || kind == .document { crossOrigin.add(to: &response, for: request) }
        allowance?.settle(&response)
        securityFields.add(to: &response, of: kind)
        if isConstant { kept.keep(response, to: request, isForStrangers: kind == .page) }
        finish(&response, id, to: request, from: peer)
        return response
    }

    /// What a handler has given no entity tag gets one here.
    private func complete(
        _ response: Response, for request: Request
    ) throws -> Response {
        guard request.method.isRead, response.status == .ok,
            !response.headerFields.contains(.eTag),
            response.headerFields[.cacheControl] != "no-store"
        else { return response }
        return try response.conditional(for: request, gzip: services.gzip)
    }

    /// Caches must not mix up what different people see.
    private static func protect(_ response: inout Response, isPrivate: Bool) {
        response.headerFields.vary(by: "Cookie")
        if isPrivate, response.headerFields[.cacheControl] == "no-cache" {
            response.headerFields[.cacheControl] = "private, no-cache"
        }
    }

    private func answer(
        _ request: Request, _ id: RequestID, _ client: ClientAddress, _ visitor: Visitor?,
        _ allowance: Allowance?, _ kind: AddressKind
    ) async throws -> (Response, isConstant: Bool) {
        if request.target.form == .asterisk {
            let fields: HTTPFields = [.allow: "GET, HEAD, OPTIONS"]
            return (Response(status: .noContent, headerFields: fields), false)
        }
        switch router.match(request.method, request.target.segments) {
        case .found(let endpoint, let parameters):
            let call = try Call(
                request, id: id, parameters: parameters, services: services, client: client,
                visitor: visitor, allowance: allowance)
            if kind == .api, !V0Error.isExpected(at: request.target) { try call.checkNamesOnce() }
            return (try await endpoint.handler(call), endpoint.isConstant)
        case .methodNotImplemented:
            throw Problem(.notImplemented, "No address here takes this method.")
        case .methodNotAllowed(let allowed):
            let problem = Problem.methodNotAllowed(allowed)
            guard request.method != .options else {
                if kind == .api || kind == .document,
                    let answer = crossOrigin.preflight(request, methods: allowed)
                {
                    return (answer, false)
                }
                return (Response(status: .noContent, headerFields: problem.headerFields), false)
            }
            throw problem
        case .notFound:
            throw Problem.notFound("There is nothing at this address.")
        }
    }

    private func response(
        to error: any Error, _ id: RequestID, for request: Request, _ kind: AddressKind,
        _ context: PageContext
    ) -> Response {
        if V0Error.isExpected(at: request.target) {
            return V0Error(error, logger: id.naming(services.logger)).response(to: request)
        }
        if let error = error as? SignInRequired {
            return .seeOther(ReturnPath.appending(error.returnPath, to: "/sign-in"))
        }
        let problem = Problem(error, logger: id.naming(services.logger))
        return switch kind {
        case .api, .document:
            problem.response(publicURL: services.settings.publicURL, requestID: id)
        case .embed: EmbedPage.response(to: problem, services)
        case .page, .file: ErrorPage.response(to: problem, context)
        }
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
}

import Endpoints
import HTTP
import HTTPTypes
import Languages
import Logging
import Sockets

/// One request on its way through the site, with what is known about it.
struct IncomingRequest: Sendable {
    private(set) var request: Request
    let id: RequestID
    let match: Router<Route>.Match
    let kind: AddressKind
    /// Counts what the request costs; `nil` if that is nothing.
    let allowance: Allowance?
    /// The visitor who is signed in with the browser.
    var visitor: Visitor?
    /// What the response is written in, if it is a page. For other addresses it is the site's.
    var language: Language
    /// The sender of the request, which may be a proxy.
    let peer: ClientAddress
    private let services: Services

    /// - Parameter cost: What the request costs; as much as the route says if `nil`.
    init(
        _ request: Request, from peer: ClientAddress, _ services: Services,
        _ router: Router<Route>, _ languages: PageLanguages, costs cost: Cost? = nil
    ) {
        let match = router.match(request.method, request.target.segments)
        let kind = Routes.kind(of: request.target, match)
        let id = services.requestID(of: request, from: peer)
        self.init(
            request, from: peer, services, id, match: match, kind: kind,
            languages.language(of: request, to: kind), costs: cost)
    }

    /// For a request with a cached response, which needs no route.
    init(
        _ request: Request, from peer: ClientAddress, _ services: Services, _ id: RequestID,
        kind: AddressKind, _ language: Language
    ) {
        self.init(request, from: peer, services, id, match: .notFound, kind: kind, language)
    }

    private init(
        _ request: Request, from peer: ClientAddress, _ services: Services, _ id: RequestID,
        match: Router<Route>.Match, kind: AddressKind, _ language: Language,
        costs cost: Cost? = nil
    ) {
        self.request = request
        self.peer = peer
        self.services = services
        self.match = match
        self.kind = kind
        self.language = language
        self.id = id
        let ownCost =
            if case .found(let route, _) = match { route.cost(of: request) } else { Cost.plain }
        let cost = cost ?? ownCost
        allowance =
            cost == .nothing
            ? nil : Allowance(services.rateLimiter, kind.budget(request.method), cost)
    }

    /// The pattern of the path, also if the method is one that it doesn't take.
    var pattern: String? {
        switch match {
        case .found(let route, _), .methodNotAllowed(_, let route): route.pattern
        case .methodNotImplemented(let route): route?.pattern
        case .notFound: nil
        }
    }

    var route: Route? { if case .found(let route, _) = match { route } else { nil } }

    /// Where the request came from.
    var client: ClientAddress {
        services.settings.trustedProxies.client(of: request, peer: peer)
    }

    /// Whether the length of a compressed response could reveal a secret beside text that a stranger
    /// chose (BREACH). On pages, such text comes in the query. SECURITY.md has the whole reason.
    private var couldReveal: Bool {
        request.contains(.authorization) || (visitor != nil && request.target.query != nil)
    }

    /// The request that decides about the response's content coding.
    var negotiatedRequest: Request { couldReveal ? request.withoutCoding : request }

    /// Whether the response is the same for everyone who is not signed in, and is wanted by someone
    /// who is not. So it may be cached once it is made.
    var isForEveryone: Bool {
        guard let route, route.isCacheable, request.method == .get else { return false }
        return !mayBeSignedIn && !request.contains(.ifMatch)
            && !request.contains(.ifUnmodifiedSince)
            && (request.contains(.ifNoneMatch)
                || !(route.sendsLastModified && request.contains(.ifModifiedSince)))
    }

    /// Whether the request says who sends it. The API knows no cookies.
    var mayBeSignedIn: Bool {
        request.contains(.authorization) || (kind == .page && Cookie.session.mayBe(in: request))
    }

    /// The same request by a client that has no response yet.
    var unconditional: IncomingRequest {
        guard request.contains(.ifNoneMatch) || request.contains(.ifModifiedSince) else {
            return self
        }
        var context = self
        context.request.headerFields[.ifNoneMatch] = nil
        context.request.headerFields[.ifModifiedSince] = nil
        return context
    }

    /// A logger whose messages name the request.
    var logger: Logger { id.naming(services.logger) }
}

extension Services {
    func requestID(of request: Request, from peer: ClientAddress) -> RequestID {
        RequestID(of: request, isTrusted: settings.trustedProxies.contains(peer))
    }
}

extension RequestContext {
    /// The request as its handler gets it.
    ///
    /// - Throws: 400 for a query that cannot be read.
    init(
        _ incoming: IncomingRequest, _ parameters: PathParameters, _ services: Services
    ) throws(RequestError) {
        try self.init(
            incoming.negotiatedRequest, id: incoming.id, parameters: parameters,
            services: services, client: incoming.client, visitor: incoming.visitor,
            language: incoming.language, allowance: incoming.allowance)
    }
}

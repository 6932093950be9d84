import HTTP
import HTTPTypes
import Logging
import Sockets

/// One request on its way through the site, with what is known of it.
struct Exchange: Sendable {
    let request: Request
    let id: RequestID
    let match: Router<Route>.Match
    let kind: AddressKind
    /// What is counted of a request to the API.
    let allowance: Allowance?
    /// Who is signed in with the browser.
    var visitor: Visitor?
    private let peer: ClientAddress
    private let services: Services

    /// - Parameter peer: Who sent the request, perhaps for someone else.
    init(
        _ request: Request, from peer: ClientAddress, _ services: Services,
        _ router: Router<Route>
    ) {
        let match = router.match(request.method, request.target.segments)
        let kind =
            switch match {
            case .found(let route, _), .methodNotAllowed(_, let route): route.kind
            case .methodNotImplemented(let route):
                route?.kind ?? Routes.kind(of: request.target)
            case .notFound: Routes.kind(of: request.target)
            }
        self.init(request, from: peer, services, match: match, kind: kind)
    }

    /// For an answer that is kept: no route is looked for.
    init(_ request: Request, from peer: ClientAddress, _ services: Services) {
        self.init(request, from: peer, services, match: .notFound, kind: .file)
    }

    private init(
        _ request: Request, from peer: ClientAddress, _ services: Services,
        match: Router<Route>.Match, kind: AddressKind
    ) {
        self.request = request
        self.peer = peer
        self.services = services
        self.match = match
        self.kind = kind
        id = RequestID(of: request, isTrusted: services.settings.trustedProxies.contains(peer))
        allowance = kind.isLimited ? Allowance(services.rateLimiter, for: request) : nil
    }

    var route: Route? { if case .found(let route, _) = match { route } else { nil } }

    /// Where the request came from.
    var client: ClientAddress {
        services.settings.trustedProxies.client(of: request, peer: peer)
    }

    /// Whether the answer may hold what only one person may see.
    var isSecret: Bool { visitor != nil || request.contains(.authorization) }

    /// Names the request in what it says.
    var logger: Logger { id.naming(services.logger) }
}

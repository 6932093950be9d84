import Endpoints
import HTTP
import HTTPTypes
import Sockets

/// Counts what each client's requests cost, and tells clients of the API what is left.
struct LimitStep: Sendable {
    private let limiter: RateLimiter
    private let proxies: TrustedProxies

    init(_ services: Services) {
        limiter = services.rateLimiter
        proxies = services.settings.trustedProxies
    }

    /// Counts a request before anything is done for it.
    ///
    /// - Throws: 429 if the client has used up its limit.
    func charge(_ context: IncomingRequest) throws(Problem) {
        guard let allowance = context.allowance, context.request.method != .options,
            let network = context.client.network
        else { return }
        try allowance.charge(.address(network))
    }

    /// What counts a request with a cached response; `nil` if its client is not told what is left.
    func allowance(ofHit kind: AddressKind, _ method: HTTPRequest.Method) -> Allowance? {
        kind.isAPI ? Allowance(limiter, kind.budget(method), .cached) : nil
    }

    /// Counts a request with a cached response.
    ///
    /// - Parameter allowance: The one of this request.
    /// - Throws: 429 if the client has used up its limit.
    func chargeHit(
        _ request: Request, from peer: ClientAddress, of kind: AddressKind, _ allowance: Allowance?
    ) throws(Problem) {
        guard let network = proxies.client(of: request, peer: peer).network else { return }
        if let allowance { return try allowance.charge(.address(network)) }
        try limiter.charge(
            .init(client: .address(network), budget: kind.budget(request.method)), .cached)
    }
}

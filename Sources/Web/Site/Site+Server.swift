import Endpoints
public import Freshness
public import HTTP
public import HTTPServer
public import Sockets

// What the server asks of a site besides responses to whole requests.
extension Site {
    public convenience init(
        _ services: Services, feed: ChangeFeed? = nil, rows: SharedRows? = nil
    ) {
        self.init(services, Routes.router, feed: feed, rows: rows)
    }

    /// Declares all routes now, instead of when the first site is made. That takes some milliseconds.
    public static func declareRoutes() { _ = Routes.router }

    /// `nil` if responses are not cached. Must be read on the loop.
    public var cacheStatistics: CacheStatistics? { cached.statistics }

    public func client(of request: Request, from peer: ClientAddress) -> ClientAddress {
        services.settings.trustedProxies.client(of: request, peer: peer)
    }

    public func responded(
        _ request: Request, from peer: ClientAddress, with response: Response,
        after duration: Duration
    ) { observer.note(request, from: peer, with: response, after: duration) }

    /// The most bytes of a body, by the path, where that is more than elsewhere.
    public static var bodyLimits: [String: Int] { Routes.bodyLimits }

    /// The most bytes of any other body.
    public static let bodyLimit = 65_536

    public func response(to error: ConnectionError) -> Response { response(to: error, at: nil) }

    public func response(to error: ConnectionError, at target: RequestTarget?) -> Response {
        let id = RequestID()
        let (made, kind) = errors.response(to: error, at: target, id)
        var response = made
        fields.complete(&response, of: kind)
        response.requestID = id.text
        return response
    }
}

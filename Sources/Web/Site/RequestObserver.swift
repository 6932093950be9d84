import Endpoints
import HTTP
import Logging
import Sockets

/// Tells the operator of one loop's requests: their log and metrics.
struct RequestObserver: Sendable {
    private let log: RequestLog
    private let metrics = RequestMetrics()
    private let forgottenProxy: ForgottenProxy

    init(_ services: Services) {
        let settings = services.settings
        log = RequestLog(
            access: settings.accessLog.map { (Logger(label: RequestLog.label), $0) },
            logger: services.logger, slow: settings.slowRequest,
            proxies: settings.trustedProxies)
        forgottenProxy = ForgottenProxy(settings.trustedProxies, services.logger)
    }

    func note(
        _ request: Request, from peer: ClientAddress, with response: Response,
        after duration: Duration
    ) {
        metrics.record(request, response, duration)
        forgottenProxy.note(request, from: peer)
        log.note(request, from: peer, with: response, after: duration)
    }
}

import Endpoints
import HTTP
import Logging
import Sockets

/// Tells the operator of one loop's requests: their log, metrics and traces.
struct RequestObserver: Sendable {
    private let log: RequestLog
    private let metrics = RequestMetrics()
    private let proxies: TrustedProxies
    private let isTracing: Bool

    init(_ services: Services) {
        let settings = services.settings
        proxies = settings.trustedProxies
        isTracing = settings.isTraced
        log = RequestLog(
            access: settings.accessLog.map { (Logger(label: RequestLog.label), $0) },
            logger: services.logger, slow: settings.slowRequest, proxies: proxies)
    }

    private func isTraced(_ request: Request) -> Bool {
        isTracing && !Signals.paths.contains(request.target.path)
    }

    /// Makes a response, as a span if it is to be traced.
    func tracing(
        _ context: IncomingRequest, _ make: () async -> Response
    ) async -> Response {
        guard isTraced(context.request) else { return await make() }
        return await RequestSpan.around(context, proxies, make)
    }

    func note(
        _ request: Request, from peer: ClientAddress, with response: Response,
        after duration: Duration
    ) {
        metrics.record(request, response, duration)
        var response = response
        if isTraced(request), response.traceID == nil {
            RequestSpan.record(request, from: peer, &response, duration, proxies)
        }
        log.note(request, from: peer, with: response, after: duration)
    }
}

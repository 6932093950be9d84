import Endpoints
import HTTP
import HTTPTypes
import Sockets
import Traces
import Tracing

/// The span of a request: the parent of the spans of its statements and of its requests to IGDB.
enum RequestSpan {
    /// Traces the making of a response.
    static func around(
        _ context: IncomingRequest, _ proxies: TrustedProxies,
        _ body: () async -> Response
    ) async -> Response {
        let request = context.request
        let span = startSpan(
            name(request, context.pattern), at: DefaultTracerClock.now,
            context: origin(of: request, from: context.peer, proxies), ofKind: .server)
        defer { span.end() }
        var response = await InstrumentationContext.withValue(span.context) { await body() }
        describe(span, request, &response)
        return response
    }

    /// Records a request that was served from memory, which took no further steps.
    static func record(
        _ request: Request, from peer: ClientAddress, _ response: inout Response,
        _ duration: Duration, _ proxies: TrustedProxies
    ) {
        let end = DefaultTracerClock.now
        let span = startSpan(
            name(request, response.route),
            at: Moment(nanosecondsSinceEpoch: end.nanosecondsSinceEpoch - duration.nanoseconds),
            context: origin(of: request, from: peer, proxies), ofKind: .server)
        describe(span, request, &response)
        span.end(at: end)
    }

    private static func name(_ request: Request, _ route: String?) -> String {
        route.map { "\(request.method.rawValue) \($0)" } ?? request.method.rawValue
    }

    /// A proxy that is trusted may have begun the trace. Anyone else could make the server record as
    /// many traces as they like.
    private static func origin(
        of request: Request, from peer: ClientAddress, _ proxies: TrustedProxies
    ) -> InstrumentationContext {
        var context = InstrumentationContext.topLevel
        if proxies.contains(peer) {
            InstrumentationSystem.instrument.extract(
                request, into: &context, using: FieldExtractor())
        }
        return context
    }

    private static func describe(
        _ span: any Span, _ request: Request, _ response: inout Response
    ) {
        response.traceID = span.context.trace?.traceID.description
        guard span.isRecording else { return }
        span.attributes["http.request.method"] = request.method.rawValue
        span.attributes["url.path"] = request.target.path
        span.attributes["http.response.status_code"] = response.status.code
        if let route = response.route { span.attributes["http.route"] = route }
        if response.status.kind == .serverError { span.setStatus(SpanStatus(code: .error)) }
    }
}

private struct Moment: TracerInstant {
    let nanosecondsSinceEpoch: UInt64

    static func < (a: Moment, b: Moment) -> Bool {
        a.nanosecondsSinceEpoch < b.nanosecondsSinceEpoch
    }
}

extension Duration {
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(clamping: seconds) * 1_000_000_000
            + UInt64(clamping: attoseconds / 1_000_000_000)
    }
}

private struct FieldExtractor: Extractor {
    func extract(key: String, from request: Request) -> String? {
        HTTPField.Name(key).flatMap { request.value(of: $0) }
    }
}

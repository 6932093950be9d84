import Tracing

/// Makes spans, and sends those of sampled traces to a collector with OTLP.
public struct OTLPTracer: Tracer {
    private let exporter: SpanExporter
    /// The share of new traces that are recorded, from 0 to 1.
    private let ratio: Double

    public init(_ exporter: SpanExporter, ratio: Double) {
        self.exporter = exporter
        self.ratio = ratio
    }

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> TraceSpan {
        let context = context()
        let trace = context.trace.map {
            TraceContext(
                traceID: $0.traceID, spanID: .random(in: 1...UInt64.max), isSampled: $0.isSampled)
        }
        let own = trace ?? newTrace()
        return TraceSpan(
            operationName, own, parent: context.trace?.spanID, in: context, kind: kind,
            start: own.isSampled ? instant().nanosecondsSinceEpoch : 0,
            exporter: own.isSampled ? exporter : nil)
    }

    private func newTrace() -> TraceContext {
        let id = TraceID.random()
        return TraceContext(
            traceID: id, spanID: .random(in: 1...UInt64.max),
            isSampled: Double(id.low) < ratio * 0x1p64)
    }

    public func forceFlush() {}

    // MARK: Propagation

    private static let field = "traceparent"

    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: Self.field, from: carrier),
            let trace = TraceContext(traceparent: text)
        else { return }
        context.trace = trace
    }

    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.traceparent, forKey: Self.field, into: &carrier)
    }
}

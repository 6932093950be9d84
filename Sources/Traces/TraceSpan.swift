import Synchronization
import Tracing

/// A span in progress. Any thread may use it.
public final class TraceSpan: Span {
    public let context: InstrumentationContext
    public let trace: TraceContext
    private let parent: UInt64?
    private let kind: SpanKind
    private let start: UInt64
    private let exporter: SpanExporter?
    private let state: Mutex<State>

    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var failure: String?
        var hasEnded = false
    }

    /// - Parameter exporter: Takes the span when it ends; `nil` if it isn't recorded.
    init(
        _ name: String, _ trace: TraceContext, parent: UInt64?, in context: InstrumentationContext,
        kind: SpanKind, start: UInt64, exporter: SpanExporter?
    ) {
        var context = context
        context.trace = trace
        self.context = context
        self.trace = trace
        self.parent = parent
        self.kind = kind
        self.start = start
        self.exporter = exporter
        state = Mutex(State(name: name))
    }

    public var isRecording: Bool { exporter != nil && !state.withLock { $0.hasEnded } }

    public var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set {
            guard exporter != nil else { return }
            state.withLock { $0.attributes = newValue }
        }
    }

    public func setStatus(_ status: SpanStatus) {
        guard exporter != nil, status.code == .error else { return }
        state.withLock { $0.failure = status.message ?? "" }
    }

    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        setStatus(SpanStatus(code: .error, message: "\(error)"))
    }

    /// Nothing here uses events and links.
    public func addEvent(_ event: SpanEvent) {}
    public func addLink(_ link: SpanLink) {}

    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let exporter else { return }
        let end = instant().nanosecondsSinceEpoch
        let span = state.withLock { state -> FinishedSpan? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return FinishedSpan(
                name: state.name, kind: kind, context: trace, parent: parent, start: start,
                end: end,
                attributes: state.attributes, failure: state.failure)
        }
        if let span { exporter.add(span) }
    }
}

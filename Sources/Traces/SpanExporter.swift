import HTTPClient
import HTTPTypes
import JSON
import Logging
import Sockets
import Synchronization

/// Sends spans to a collector in batches: OTLP/HTTP in JSON. Spans that the collector can't take
/// are dropped, so a slow or absent collector costs nothing but its spans.
public final class SpanExporter: Sendable {
    /// The collector, and the name of the service that sends the spans.
    public struct Destination: Sendable {
        /// The address of the collector; `/v1/traces` is appended to it.
        public var endpoint: String
        public var headerFields: HTTPFields
        public var service: String
        public var version: String

        public init(
            endpoint: String, headerFields: HTTPFields = [:], service: String, version: String
        ) {
            self.endpoint = endpoint
            self.headerFields = headerFields
            self.service = service
            self.version = version
        }
    }

    private struct State {
        var spans: [FinishedSpan] = []
        var counts = Counts()
        /// Whether the collector did not take the last batch.
        var hasFailed = false
    }

    /// The outcomes of spans.
    public struct Counts: Sendable {
        public var sent = 0
        /// Dropped because too many were waiting, or because the collector didn't take them.
        public var dropped = 0
    }

    private let destination: Destination
    private let client: HTTPClient
    private let logger: Logger
    private let state = Mutex(State())

    /// The most spans that may wait.
    static let limit = 2048
    /// The most spans in a request.
    static let batch = 512

    public init(_ destination: Destination, client: HTTPClient, logger: Logger) {
        self.destination = destination
        self.client = client
        self.logger = logger
    }

    public var counts: Counts { state.withLock { $0.counts } }

    func add(_ span: FinishedSpan) {
        state.withLock { state in
            guard state.spans.count < Self.limit else {
                state.counts.dropped += 1
                return
            }
            state.spans.append(span)
        }
    }

    /// Sends the collected spans at this interval until the task is cancelled, and then the
    /// remaining ones.
    public func run(on loop: EventLoop, every interval: Duration = .seconds(2)) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            // In a task of its own: cancelling must not end a transfer in progress.
            await Task(executorPreference: loop) { await self.sendAll() }.value
        }
    }

    private func sendAll() async {
        while let failure = await sendBatch() {
            let hadFailed = state.withLock { state in
                defer { state.hasFailed = failure != nil }
                return state.hasFailed
            }
            if let failure {
                guard !hadFailed else { return }
                return logger.warning(
                    "traces can't be sent to \(destination.endpoint): \(failure)")
            }
            if hadFailed { logger.notice("traces can be sent again") }
        }
    }

    /// Sends one batch.
    ///
    /// - Returns: `nil` if there is nothing to send; or else why it failed, or `nil` in it.
    func sendBatch() async -> String?? {
        let spans = state.withLock { state in
            let spans = Array(state.spans.prefix(Self.batch))
            state.spans.removeFirst(spans.count)
            return spans
        }
        guard !spans.isEmpty else { return nil }
        var json = JSONWriter(reserving: spans.count * 512)
        json.exportRequest(
            spans, service: destination.service, version: destination.version)
        var fields = destination.headerFields
        fields[.contentType] = "application/json"
        var failure: String?
        do throws(HTTPClientError) {
            let response = try await client.send(
                ClientRequest(
                    .post, destination.endpoint + "/v1/traces", headerFields: fields,
                    body: json.bytes, timeout: .seconds(5), maximumResponseBytes: 65_536))
            if response.status.kind != .successful {
                failure = "status \(response.status.code)"
            }
        } catch {
            failure = error.description
        }
        state.withLock { state in
            if failure == nil {
                state.counts.sent += spans.count
            } else {
                state.counts.dropped += spans.count
            }
        }
        return .some(failure)
    }
}

import CLibCurl
import Foundation
import HTTPTypes
import Monitoring
import Sockets
import Tracing

/// Sends requests to other servers with libcurl's multi interface, on an event loop.
///
/// libcurl says which descriptors and which time it waits for, and the loop does the waiting; see
/// curl_multi_socket_action(3). Connections are kept open and reused.
public actor HTTPClient {
    private let loop: EventLoop
    // nonisolated(unsafe): `deinit` also uses it, when no other code can.
    private nonisolated(unsafe) let multi: OpaquePointer
    private var transfers: [Int: Transfer] = [:]
    private var lastID = 0
    private var sockets: [curl_socket_t: WatchedSocket] = [:]
    private var timer: LoopTimer?
    private var isClosed = false
    private var stopwatches: [Outcome: Stopwatch] = [:]

    public init(on loop: EventLoop) {
        self.loop = loop
        _ = Self.isInitialized
        guard let multi = curl_multi_init() else { preconditionFailure("out of memory") }
        self.multi = OpaquePointer(multi)
        let context = Unmanaged.passUnretained(self).toOpaque()
        clibcurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        clibcurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        clibcurl_multi_set_socket(multi) { _, socket, what, context, _ in
            HTTPClient.from(context)?.assumeIsolated { $0.watch(socket, what) }
            return 0
        }
        clibcurl_multi_set_timer(multi) { _, milliseconds, context in
            HTTPClient.from(context)?.assumeIsolated { $0.setTimer(milliseconds) }
            return 0
        }
        clibcurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, Self.connectionLimit)
    }

    deinit {
        // Cleaning up closes connections, and would report that to an object that is being
        // deallocated.
        clibcurl_multi_set_socket(UnsafeMutableRawPointer(multi), nil)
        clibcurl_multi_set_timer(UnsafeMutableRawPointer(multi), nil)
        curl_multi_cleanup(UnsafeMutableRawPointer(multi))
    }

    /// The most connections that may be open at once. Further requests wait.
    public static let connectionLimit = 16

    /// Old versions of libcurl can't be initialized by several threads at once. A static property
    /// is initialized only once.
    private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPClient? {
        context.map { Unmanaged<HTTPClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private var handle: UnsafeMutableRawPointer { UnsafeMutableRawPointer(multi) }

    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        loop.serialExecutor.asUnownedSerialExecutor()
    }

    /// Sends a request and waits for the whole response. Cancelling the task ends the transfer.
    public func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        let start = loop.now
        var request = request
        let span = Self.span(for: &request)
        do throws(HTTPClientError) {
            let response = try await perform(request)
            record(request, "\(response.status.code / 100)xx", loop.now - start)
            span?.attributes["http.response.status_code"] = response.status.code
            span?.end()
            return response
        } catch {
            record(request, "\(error.code)", loop.now - start)
            span?.recordError(error)
            span?.end()
            throw error
        }
    }

    /// Begins a span for a request that is made on behalf of a traced one, and names it to the server.
    private static func span(for request: inout ClientRequest) -> (any Span)? {
        guard InstrumentationContext.current != nil else { return nil }
        let span = startSpan(
            request.method.rawValue, at: DefaultTracerClock.now, ofKind: .client)
        span.attributes["server.address"] = URL(string: request.url)?.host() ?? ""
        InstrumentationSystem.instrument.inject(
            span.context, into: &request.headerFields, using: FieldInjector())
        return span
    }

    private func perform(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        let transfer = try Transfer(request)
        // The handle's address is no identifier: by the time a cancellation arrives, a later
        // transfer may have the same address.
        lastID += 1
        let id = lastID
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                transfer.start(continuation)
                guard !isClosed else {
                    return transfer.finish(.failure(HTTPClientError(.closed)))
                }
                guard !Task.isCancelled else {
                    return transfer.finish(.failure(HTTPClientError(.cancelled)))
                }
                transfers[id] = transfer
                let status = curl_multi_add_handle(
                    handle, UnsafeMutableRawPointer(transfer.easy))
                guard status == CURLM_OK else {
                    transfers[id] = nil
                    return transfer.finish(
                        .failure(
                            HTTPClientError(
                                .unreachable,
                                detail: String(cString: curl_multi_strerror(status)))))
                }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.end(id, .cancelled) } }
        }
        return try outcome.get()
    }

    /// Ends all transfers. Requests are rejected from now on.
    public func close() {
        isClosed = true
        for id in Array(transfers.keys) { end(id, .closed) }
        timer?.cancel()
    }

    private func end(_ id: Int, _ code: HTTPClientError.Code) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        curl_multi_remove_handle(handle, UnsafeMutableRawPointer(transfer.easy))
        transfer.finish(.failure(HTTPClientError(code)))
    }

    // MARK: Metrics

    public static let metrics = [durations]

    private static let durations = MetricName(
        "http.client.request.duration", .histogram, unit: "seconds",
        "How long requests to other servers took, by server and result.")

    private struct Outcome: Hashable {
        let method: HTTPRequest.Method
        let host: String
        let result: String
    }

    /// - Parameter result: The class of the status, or why there is none.
    private func record(_ request: ClientRequest, _ result: String, _ duration: Duration) {
        // The servers are those that the operator has configured, so there are few.
        let outcome = Outcome(
            method: request.method, host: URL(string: request.url)?.host() ?? "", result: result)
        let stopwatch =
            stopwatches[outcome]
            ?? Stopwatch(
                Self.durations,
                [
                    ("http.request.method", outcome.method.rawValue),
                    ("server.address", outcome.host), ("result", outcome.result),
                ])
        stopwatches[outcome] = stopwatch
        stopwatch.record(duration)
    }

    // MARK: What libcurl waits for

    private func watch(_ socket: curl_socket_t, _ what: Int32) {
        if let watched = sockets.removeValue(forKey: socket) { watched.cancel() }
        let interest: Readiness
        switch what {
        case CURL_POLL_IN: interest = [.readable]
        case CURL_POLL_OUT: interest = [.writable]
        case CURL_POLL_INOUT: interest = [.readable, .writable]
        default: return
        }
        sockets[socket] = WatchedSocket(socket, interest, on: loop) { [unowned self] readiness in
            var events: Int32 = 0
            if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
            if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
            if !readiness.isDisjoint(with: .failed) { events |= CURL_CSELECT_ERR }
            act(socket, events)
        }
    }

    private func setTimer(_ milliseconds: Int) {
        timer?.cancel()
        timer = nil
        guard milliseconds >= 0 else { return }
        // A timer is used even for 0, because libcurl must not be called from its own callback.
        timer = loop.schedule(after: .milliseconds(milliseconds)) { [unowned self] in
            // -1 is CURL_SOCKET_TIMEOUT, a macro that Swift does not import.
            act(-1, 0)
        }
    }

    private func act(_ socket: curl_socket_t, _ events: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(handle, socket, events, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE,
                let easy = clibcurl_message_easy(message),
                let (id, transfer) = transfers.first(where: { $0.value.easy == OpaquePointer(easy) }
                )
            else { continue }
            transfers[id] = nil
            // Read now, because removing the handle frees the message's memory.
            let result = clibcurl_message_result(message)
            curl_multi_remove_handle(handle, easy)
            transfer.completed(result)
        }
    }
}

/// A descriptor that the loop watches for libcurl.
private final class WatchedSocket: ReadinessHandler {
    private let loop: EventLoop
    private let action: (Readiness) -> Void
    private var registration: DescriptorRegistration?

    init(
        _ socket: curl_socket_t, _ interest: Readiness, on loop: EventLoop,
        action: @escaping (Readiness) -> Void
    ) {
        self.loop = loop
        self.action = action
        registration = try? loop.register(socket, for: interest, trigger: .level, handler: self)
    }

    func cancel() {
        if let registration { loop.cancel(registration) }
        registration = nil
    }

    func descriptorIsReady(_ readiness: Readiness) { action(readiness) }
}

private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        if let name = HTTPField.Name(key) { fields[name] = value }
    }
}

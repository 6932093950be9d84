public import CLibCurl
public import Sockets

/// Performs transfers with libcurl's multi interface, on an event loop.
///
/// libcurl reports the descriptors and the time that it waits for, and the loop does the waiting;
/// see curl_multi_socket_action(3). Connections are kept open and reused. Confined to its loop.
///
/// Safe: the handle is freed once, with this object, and retains each easy handle that it is given.
@safe public final class MultiHandle {
    /// How a transfer ended.
    public enum Completion: Sendable {
        /// libcurl is done with it.
        case completed(CURLcode)
        /// libcurl did not accept it.
        case notStarted(CURLMcode)
        /// Its deadline has passed.
        case timedOut
        /// The task was cancelled.
        case cancelled
        /// `close` was called.
        case closed
    }

    private final class Pending {
        let easy: EasyHandle
        /// Whether the handle stays added if it succeeds.
        let keepsConnection: Bool
        let deadline: LoopTimer
        var resumption: Resumption<Completion>

        init(
            _ easy: EasyHandle, keepsConnection: Bool, deadline: LoopTimer,
            _ resumption: consuming Resumption<Completion>
        ) {
            self.easy = easy
            self.keepsConnection = keepsConnection
            self.deadline = deadline
            self.resumption = resumption
        }
    }

    private let loop: EventLoop
    private let pointer: UnsafeMutableRawPointer
    private var pending: [Int: Pending] = [:]
    private var lastID = 0
    /// The handles whose connections `connect` has opened.
    private var connected: [EasyHandle] = []
    private var sockets: [curl_socket_t: WatchedSocket] = [:]
    private var timer: LoopTimer?
    private var isClosed = false

    /// - Parameter connectionLimit: The most connections that may be open at once. Any further
    ///   transfer waits.
    public init(on loop: EventLoop, connectionLimit: Int) {
        self.loop = loop
        Self.initializeLibrary()
        guard let pointer = unsafe curl_multi_init() else { preconditionFailure("out of memory") }
        unsafe self.pointer = pointer
        // Unretained: `deinit` takes the callbacks away.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe clibcurl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, context)
        unsafe clibcurl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, context)
        unsafe clibcurl_multi_set_socket(pointer) { _, socket, what, context, _ in
            unsafe MultiHandle.from(context)?.watch(socket, what)
            return 0
        }
        unsafe clibcurl_multi_set_timer(pointer) { _, milliseconds, context in
            unsafe MultiHandle.from(context)?.setTimer(milliseconds)
            return 0
        }
        unsafe clibcurl_multi_set_long(
            pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, connectionLimit)
    }

    deinit {
        // Cleaning up closes connections, and would report that to an object that is being
        // deallocated.
        unsafe clibcurl_multi_set_socket(pointer, nil)
        unsafe clibcurl_multi_set_timer(pointer, nil)
        unsafe curl_multi_cleanup(pointer)
    }

    /// Old versions of libcurl can't be initialized by several threads at once. A static property
    /// is initialized only once.
    private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    static func initializeLibrary() { _ = isInitialized }

    private static func from(_ context: UnsafeMutableRawPointer?) -> MultiHandle? {
        unsafe context.map { unsafe Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Performs a transfer and waits for its end. Cancelling the task ends the transfer.
    ///
    /// - Parameters:
    ///   - deadline: By the loop's clock. libcurl's own time limits use another clock.
    ///   - isolation: An actor that runs on the loop.
    public func perform(
        _ easy: EasyHandle, until deadline: MonotonicTime,
        isolation: isolated any Actor = #isolation
    ) async -> Completion {
        await run(easy, until: deadline, keepsConnection: false)
    }

    /// Opens a connection, up to the point where a transfer would begin: with SMTP that is after
    /// TLS and authentication. Cancelling the task ends it.
    ///
    /// If the result is `completed(CURLE_OK)`, the caller reads from the connection and writes to
    /// it, until `close`. This should be the multi handle's only connection: libcurl takes it for
    /// an idle one, which it may check, find dead and close when it begins another transfer.
    ///
    /// The parameters are those of `perform`.
    public func connect(
        _ easy: EasyHandle, until deadline: MonotonicTime,
        isolation: isolated any Actor = #isolation
    ) async -> Completion {
        easy.set(CURLOPT_CONNECT_ONLY, 1)
        return await run(easy, until: deadline, keepsConnection: true)
    }

    private func run(
        _ easy: EasyHandle, until deadline: MonotonicTime, keepsConnection: Bool,
        isolation: isolated any Actor = #isolation
    ) async -> Completion {
        // The handle's address is no identifier: by the time a cancellation arrives, a later
        // transfer may have the same address.
        lastID += 1
        let id = lastID
        // Unsafe only by the compiler's rules: it is used on the loop.
        nonisolated(unsafe) let multi = self
        return await withTaskCancellationHandler {
            await Resumption.outcome { (resumption: consuming Resumption<Completion>) in
                guard !isClosed else { return resumption.resume(returning: .closed) }
                guard !Task.isCancelled else { return resumption.resume(returning: .cancelled) }
                let status = unsafe curl_multi_add_handle(pointer, easy.pointer)
                guard status == CURLM_OK else {
                    return resumption.resume(returning: .notStarted(status))
                }
                let deadline = loop.schedule(at: deadline) { [unowned self] in end(id, .timedOut) }
                pending[id] = Pending(
                    easy, keepsConnection: keepsConnection, deadline: deadline, resumption)
            }
        } onCancel: { [loop] in
            loop.execute { unsafe multi.end(id, .cancelled) }
        }
    }

    /// Ends all transfers, and closes connections without saying goodbye in their protocols.
    /// Rejects all later transfers.
    public func close() {
        isClosed = true
        for id in Array(pending.keys) { end(id, .closed) }
        for easy in connected { unsafe curl_multi_remove_handle(pointer, easy.pointer) }
        connected = []
        timer?.cancel()
    }

    private func end(_ id: Int, _ completion: Completion) {
        guard let transfer = pending.removeValue(forKey: id) else { return }
        transfer.deadline.cancel()
        if transfer.keepsConnection, case .completed(CURLE_OK) = completion {
            connected.append(transfer.easy)
        } else {
            unsafe curl_multi_remove_handle(pointer, transfer.easy.pointer)
        }
        transfer.resumption.resume(returning: completion)
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
        unsafe curl_multi_socket_action(pointer, socket, events, &running)
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(pointer, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE,
                let easy = unsafe clibcurl_message_easy(message),
                let id = pending.first(where: { unsafe $0.value.easy.pointer == easy })?.key
            else { continue }
            // Read now, because removing the handle frees the message's memory.
            end(id, .completed(unsafe clibcurl_message_result(message)))
        }
    }
}

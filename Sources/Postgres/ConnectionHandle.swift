import CLibPQ

/// A connection of libpq, `PGconn`, which is closed once: when no one refers to it any more.
///
/// It is a class because a noncopyable value in a property costs a check of exclusive access for each call,
/// 2 % of a cached page. Confined to one loop, or to the thread of a `BlockingSession`.
///
/// Safe: no one else has the pointer, libpq copies what it is given, and its texts are copied before it can
/// change them.
@safe final class ConnectionHandle {
    private let pointer: OpaquePointer
    private let notices = Notices()

    /// Begins to connect, without blocking.
    ///
    /// - Returns: `nil` if there is no memory left.
    convenience init?(beginningWith values: [String: String]) {
        unsafe self.init(
            Self.withArrays(values) { unsafe PQconnectStartParams($0, $1, 0) })
    }

    /// Connects, and blocks until that has succeeded or failed.
    ///
    /// - Returns: `nil` if there is no memory left.
    convenience init?(connectingWith values: [String: String]) {
        unsafe self.init(
            Self.withArrays(values) { unsafe PQconnectdbParams($0, $1, 0) })
    }

    private init?(_ pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
        // Without a receiver, libpq would print them to standard error. Unretained: libpq calls it only
        // while one of its functions runs that takes the connection.
        unsafe PQsetNoticeReceiver(
            pointer,
            { notices, notice in
                guard let notices = unsafe notices, let notice = unsafe notice else { return }
                unsafe Unmanaged<Notices>.fromOpaque(notices).takeUnretainedValue()
                    .take(PostgresError(result: notice))
            }, Unmanaged.passUnretained(notices).toOpaque())
    }

    deinit { unsafe PQfinish(pointer) }

    private static func withArrays<Result>(
        _ values: [String: String],
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?
        ) -> Result
    ) -> Result {
        let pairs = values.sorted { $0.key < $1.key }
        return unsafe CStrings(pairs.map(\.key)).withPointers { keywords in
            unsafe CStrings(pairs.map(\.value)).withPointers { unsafe body(keywords, $0) }
        }
    }

    // MARK: Its state

    /// Whether it is connected or connecting.
    var isIntact: Bool { unsafe PQstatus(pointer) != CONNECTION_BAD }
    var transactionStatus: PGTransactionStatusType { unsafe PQtransactionStatus(pointer) }

    /// The descriptor of its socket, which libpq owns; negative if there is none.
    var socket: Int32 { unsafe PQsocket(pointer) }

    /// libpq's words for its last error.
    var errorMessage: String {
        unsafe PQerrorMessage(pointer).map { unsafe String(cString: $0) } ?? ""
    }

    /// What the server said when it ended the connection between two statements.
    var lastWords: PostgresError? { notices.lastWords }

    /// The host that libpq is connected to, or tries now.
    var host: String? { unsafe PQhost(pointer).map { unsafe String(cString: $0) } }
    var hostAddress: String? { unsafe PQhostaddr(pointer).map { unsafe String(cString: $0) } }
    var port: String? { unsafe PQport(pointer).map { unsafe String(cString: $0) } }

    /// What libpq connects with, from the connection string, the service file and the environment.
    var options: ConnectionOptions? { unsafe ConnectionOptions(PQconninfo(pointer)) }

    // MARK: Connecting

    func poll() -> PostgresPollingStatusType { unsafe PQconnectPoll(pointer) }

    /// How much the texts of errors say.
    func use(_ verbosity: PGVerbosity) { unsafe PQsetErrorVerbosity(pointer, verbosity) }

    /// From here on, no call blocks, and statements needn't wait for each other.
    ///
    /// - Returns: Whether that was possible, as for all calls below.
    func beginPipeline() -> Bool {
        unsafe PQsetnonblocking(pointer, 1) == 0 && PQenterPipelineMode(pointer) == 1
    }

    // MARK: Sending

    /// Sends any number of statements by the simple query protocol.
    func sendSimple(_ sql: String) -> Bool { unsafe PQsendQuery(pointer, sql) == 1 }

    /// Sends a statement whose result is in text format.
    func send(_ sql: String) -> Bool {
        unsafe PQsendQueryParams(pointer, sql, 0, nil, nil, nil, nil, 0) == 1
    }

    /// Sends a statement whose result is in binary format.
    func send(_ sql: String, _ parameters: [PostgresParameter]) -> Bool {
        let values = CStrings(parameters.lazy.map(\.text))
        return unsafe values.withPointers {
            unsafe PQsendQueryParams(
                pointer, sql, Int32(values.count), nil, $0, nil, nil, Self.binary) == 1
        }
    }

    func prepare(_ statement: Statement) -> Bool {
        unsafe PQsendPrepare(pointer, statement.name, statement.sql, 0, nil) == 1
    }

    /// Sends a prepared statement, whose result is in binary format.
    func send(_ bound: BoundStatement) -> Bool {
        let values = CStrings(bound.parameters.lazy.map(\.text))
        return unsafe values.withPointers {
            unsafe PQsendQueryPrepared(
                pointer, bound.statement.name, Int32(values.count), $0, nil, nil, Self.binary) == 1
        }
    }

    private static let binary: Int32 = 1

    func sendFlushRequest() -> Bool { unsafe PQsendFlushRequest(pointer) == 1 }
    func sendSync() -> Bool { unsafe PQpipelineSync(pointer) == 1 }

    /// Passes the output to the kernel.
    func flush() -> Flush {
        switch unsafe PQflush(pointer) {
        case 0: .done
        case 1: .waits
        default: .failed
        }
    }

    enum Flush {
        case done
        /// The kernel has not taken everything.
        case waits
        case failed
    }

    /// Sends rows after `COPY … FROM STDIN`, and their end.
    func sendCopy(_ lines: String) -> Bool {
        unsafe lines.utf8Span.span.withUnsafeBytes {
            unsafe PQputCopyData(
                pointer, $0.assumingMemoryBound(to: CChar.self).baseAddress, Int32($0.count)) == 1
        } && PQputCopyEnd(pointer, nil) == 1
    }

    // MARK: Receiving

    func consumeInput() -> Bool { unsafe PQconsumeInput(pointer) == 1 }

    /// Whether `nextResult` would block.
    var isBusy: Bool { unsafe PQisBusy(pointer) == 1 }

    func nextResult() -> Rows? { unsafe PQgetResult(pointer).map { unsafe Rows($0) } }

    // MARK: Cancelling

    var cancellation: Cancellation? { unsafe Cancellation(PQgetCancel(pointer)) }
}

/// A request to cancel what a connection executes. It may outlive the connection.
///
/// Safe: the request is freed once, with this object.
// @unchecked: any thread may use a PGcancel; section 34.7 of the manual.
@safe final class Cancellation: @unchecked Sendable {
    private let pointer: OpaquePointer

    fileprivate init?(_ pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe PQfreeCancel(pointer) }

    /// Blocks until the server has the request.
    func send() {
        var message = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(pointer, &message, Int32(message.count))
    }
}

/// Keeps, of a connection's notices, what the server says when it ends the connection.
private final class Notices {
    private(set) var lastWords: PostgresError?

    func take(_ notice: PostgresError) {
        if notice.endsConnection, notice.sqlState != nil { lastWords = notice }
    }
}

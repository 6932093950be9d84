import CLibPQ
import Dispatch
import Sockets

/// The pool's side of a `PostgresConnection`. Its members are called on the loop.
protocol ConnectionOwner: AnyObject {
    /// Whether a new connection leads to a server that may be used, which is a primary on this
    /// timeline.
    func mayUse(_ connection: PostgresConnection, onTimeline timeline: String) -> Bool
    func connectionIsReady(_ connection: PostgresConnection)
    /// Everything that was sent has been completed.
    func connectionIsIdle(_ connection: PostgresConnection)
    /// The session has a fault that another session may not have.
    func connectionIsSpoiled(_ connection: PostgresConnection, _ fault: SessionFault)
    /// The queries in `pending` were sent. The owner must send them again or fail them.
    func connectionWasLost(
        _ connection: PostgresConnection, _ error: PostgresError, _ loss: ConnectionLoss,
        pending: [SharedQuery])
}

/// Why there is no connection.
enum ConnectionLoss {
    case wasNotMade
    case broke
    /// It was closed because no response came in time.
    case wasSilent
    /// It was closed because a new one is better, or because another pool lacks one.
    case wasReplaced
}

/// Why a new session may do better.
enum SessionFault {
    /// It has refused a write.
    case refusesWrites
    /// What it remembers may be outdated, such as the types of a table's columns.
    case isOutdated
}

/// One connection to PostgreSQL in pipeline mode, driven by an event loop.
///
/// It takes one batch of queries at a time, and the next one only when the whole batch is complete.
/// Confined to its loop.
final class PostgresConnection: ReadinessHandler {
    enum State { case down, connecting, ready }

    /// The connection's number in the pool.
    let number: Int
    private(set) var state = State.down

    private let loop: EventLoop
    private let times: StatementTimes
    private let batches: BatchCounter
    private let addresses: AddressBook
    private let connectTimeout: Duration
    private let responseTimeout: Duration
    private weak var owner: (any ConnectionOwner)?
    /// `nil` unless it is connected or an address is being tried.
    private var handle: ConnectionHandle?
    private var registration: DescriptorRegistration?
    private var registeredSocket: Int32 = -1
    /// The addresses that this attempt to connect may still try; empty if libpq chooses them.
    private var candidates: [Host] = []
    private var candidate: Host?
    /// The results that are due, and their queries.
    private var pipeline = Pipeline<Int>()
    private var batch = Batch()
    private var batchNumber = 0
    /// When the batch was last sent.
    private var sentAt = MonotonicTime(nanoseconds: 0)
    private var awaitsEndOfResult = false
    /// The result of a query whose Sync has not arrived.
    private var retainedRows: Rows?
    /// What the pool has to be told of.
    private var fault: SessionFault?
    /// Whether it is connected, and the server still has to say which timeline it is on.
    private var isIdentifying = false
    /// Changes whenever a connection ends or another attempt to connect begins. Callbacks and
    /// transactions compare it to find out whether their connection is gone.
    private(set) var epoch = 0
    private lazy var watchdog = Deadline(on: loop) { [weak self] in self?.timedOut() }

    init(
        _ number: Int, on loop: EventLoop, addresses: AddressBook,
        configuration: PostgresConfiguration, times: StatementTimes, batches: BatchCounter,
        owner: any ConnectionOwner
    ) {
        self.number = number
        self.loop = loop
        self.times = times
        self.batches = batches
        self.addresses = addresses
        self.owner = owner
        connectTimeout = addresses.connectTimeout ?? configuration.connectTimeout
        // PostgreSQL ends a slow statement itself. This limit is for when not even that error
        // arrives.
        responseTimeout = configuration.statementTimeout + configuration.responseGrace
    }

    deinit { disconnect() }

    /// Whether every query has been completed.
    var isIdle: Bool { pipeline.isIdle && !batch.hasSkipped }

    /// Whether the connection was outside a transaction when it was last idle.
    var isOutsideTransaction: Bool { handle?.transactionStatus == PQTRANS_IDLE }

    // MARK: Connecting

    /// Starts an attempt to connect, without blocking. Each address has its own time limit.
    func connect() {
        guard state == .down else { return }
        state = .connecting
        epoch += 1
        let current = epoch
        addresses.addresses { [weak self] result in
            guard let self, current == self.epoch, self.state == .connecting else { return }
            switch result {
            case .success(let addresses):
                self.candidates = addresses
                self.start()
            case .failure(let error): self.lose(error)
            }
        }
    }

    private func start() {
        watchdog.set(after: connectTimeout)
        candidate = nil
        handle = ConnectionHandle(beginningWith: addresses.parameters(for: candidates).values)
        guard handle?.isIntact == true else { return lose(failure()) }
        // Only so do the errors of an attempt to connect contain their SQLSTATEs.
        handle?.use(PQERRORS_VERBOSE)
        noteCandidate()
        _ = watch(for: [.writable])
    }

    private func pollConnection() {
        guard let status = handle?.poll() else { return }
        noteCandidate()
        switch status {
        case PGRES_POLLING_READING: _ = watch(for: [.readable])
        case PGRES_POLLING_WRITING: _ = watch(for: [.writable])
        case PGRES_POLLING_OK: connected()
        default: lose(failure())
        }
    }

    /// Notes which address libpq is trying now. When an address refuses the connection, libpq tries
    /// the next one without being asked, and the time limit starts again.
    private func noteCandidate() {
        guard let handle, let host = handle.host, let address = handle.hostAddress,
            let port = handle.port
        else { return }
        let current = candidates.first {
            ($0.name == host || $0.name.isEmpty) && isSame($0.address, address)
                && ($0.port == port || $0.port.isEmpty)
        }
        guard current != candidate else { return }
        candidate = current
        watchdog.set(after: connectTimeout)
    }

    /// Whether two texts denote the same address, which can be written in several ways.
    private func isSame(_ one: String, _ other: String) -> Bool {
        one == other || IPAddress(one).map { $0 == IPAddress(other) } ?? false
    }

    /// Drops the address that didn't respond in time, and continues with the others. So a silent
    /// address costs its time limit only once.
    private func connectTimedOut() {
        let error = PostgresError(.unavailable, detail: "no connection in time")
        guard let silent = candidate ?? candidates.first else { return lose(error) }
        addresses.wasSilent(silent)
        candidates.removeAll { $0 == silent }
        guard !candidates.isEmpty else { return lose(error) }
        isIdentifying = false
        awaitsEndOfResult = false
        closeHandle()
        start()
    }

    private func connected() {
        handle?.use(PQERRORS_DEFAULT)
        guard let handle, handle.beginPipeline(), watch(for: [.readable]) else {
            return lose(failure())
        }
        watchdog.set(after: connectTimeout)
        isIdentifying = true
        guard handle.send(ConnectionParameters.settle), handle.send(Self.timeline),
            handle.sendSync(), handle.flush() == .done
        else { return lose(failure()) }
    }

    /// NULL on a standby.
    private static let timeline = """
        SELECT CASE WHEN NOT pg_is_in_recovery() THEN \(PostgresPool.timeline) END
        """

    /// Reads that the session is settled, and which timeline the server is on. A former primary that
    /// doesn't know yet that another server was promoted still accepts connections, and must not be
    /// used.
    private func identify() {
        guard handle?.consumeInput() == true else { return lose(failure()) }
        while let handle, !handle.isBusy {
            guard let rows = handle.nextResult() else {
                guard awaitsEndOfResult else { return }
                awaitsEndOfResult = false
                continue
            }
            guard rows.status != PGRES_PIPELINE_SYNC else { return becomeReady() }
            guard rows.status == PGRES_TUPLES_OK else { return lose(rows.error) }
            awaitsEndOfResult = true
            let found: String?? = try? rows.first?[0]
            guard let timeline = found ?? nil, let owner, !owner.mayUse(self, onTimeline: timeline)
            else { continue }
            if let candidate { addresses.wasSilent(candidate) }
            return lose(
                PostgresError(
                    .unavailable,
                    detail: """
                        a former primary, on timeline \(timeline). If the database was replaced by an \
                        older one, restart the program
                        """))
        }
    }

    private func becomeReady() {
        isIdentifying = false
        watchdog.clear()
        if let candidate { addresses.responded(candidate) }
        state = .ready
        owner?.connectionIsReady(self)
    }

    /// Registers libpq's socket with the loop. The socket can change between two polls, when libpq
    /// tries the next address.
    private func watch(for interest: Readiness) -> Bool {
        let socket = handle?.socket ?? -1
        if let registration, socket == registeredSocket {
            // The kernel forgets a descriptor that libpq closed and opened again under the same
            // number, so cancel and register rather than update while connecting.
            guard state == .connecting else {
                loop.update(registration, to: interest)
                return true
            }
        }
        if let registration { loop.cancel(registration) }
        registration = nil
        guard socket >= 0 else {
            lose(failure())
            return false
        }
        do {
            registration = try loop.register(
                socket, for: interest, trigger: .level, handler: self)
            registeredSocket = socket
            return true
        } catch {
            lose(PostgresError(.unavailable, detail: "\(error)"))
            return false
        }
    }

    // MARK: Sending

    /// Sends queries together. May only be called while `state` is `.ready` and `isIdle` is true.
    func send(_ queries: [SharedQuery]) {
        sentAt = loop.now
        batchNumber = batches.number()
        watchdog.set(after: responseTimeout)
        let messages = batch.add(queries).lazy.map { self.batch.pipelineQuery($0) }
        for command in pipeline.send(messages) {
            guard perform(command) else { return lose(failure()) }
        }
        flush()
    }

    private func perform(_ command: Pipeline<Int>.Command) -> Bool {
        guard let handle else { return false }
        return switch command {
        case .deallocateAll: handle.send("DEALLOCATE ALL")
        case .prepare(let statement): handle.prepare(statement)
        case .begin: handle.send("BEGIN")
        case .precedingWrite(let message):
            batch.precedingWrite(of: message).map { handle.send($0) } ?? false
        case .query(let message): handle.send(batch.statement(of: message))
        case .flush: handle.sendFlushRequest()
        case .sync: handle.sendSync()
        }
    }

    private func flush() {
        switch handle?.flush() {
        case .done: if isWaitingToWrite { setWaitingToWrite(false) }
        case .waits: if !isWaitingToWrite { setWaitingToWrite(true) }
        case .failed, nil: lose(failure())
        }
    }

    private var isWaitingToWrite = false

    private func setWaitingToWrite(_ isWaiting: Bool) {
        isWaitingToWrite = isWaiting
        _ = watch(for: isWaiting ? [.readable, .writable] : [.readable])
    }

    // MARK: Receiving

    func descriptorIsReady(_ readiness: Readiness) {
        guard state == .ready else { return isIdentifying ? identify() : pollConnection() }
        let isConsumed = handle?.consumeInput() == true
        takeResults()
        guard state == .ready else { return }
        guard isConsumed, handle?.isIntact == true else { return lose(failure()) }
        if pipeline.isSpoiled, fault == nil { fault = .isOutdated }
        if let fault {
            self.fault = nil
            owner?.connectionIsSpoiled(self, fault)
            // It may have been replaced at once, and then the handle is gone.
            guard state == .ready else { return }
        }
        // Reading can make room for output that waits to be sent; section 34.4 of the manual.
        flush()
        guard state == .ready else { return }
        guard pipeline.isIdle else { return watchdog.set(after: responseTimeout) }
        let hasSkipped = batch.hasSkipped
        let skipped = batch.takeSkipped()
        guard !hasSkipped else { return send(skipped) }
        watchdog.clear()
        owner?.connectionIsIdle(self)
    }

    private func takeResults() {
        while state == .ready, let handle, !handle.isBusy {
            guard let rows = handle.nextResult() else {
                // The first NULL ends the results of one command. Another one means that there is
                // nothing more for now.
                guard awaitsEndOfResult else { return }
                awaitsEndOfResult = false
                continue
            }
            take(rows)
        }
    }

    private func take(_ rows: Rows) {
        let status = rows.status
        let event: Pipeline<Int>.Event
        switch status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: event = .success
        case PGRES_PIPELINE_SYNC: event = .sync
        case PGRES_PIPELINE_ABORTED: event = .aborted
        default: event = .failure(rows.error)
        }
        if case .failure(let error) = event, error.endsConnection {
            // The error isn't about the statement: the connection is ending, and so are its
            // queries.
            return lose(error)
        }
        if case .failure(let error) = event, error.asksForReplacement {
            fault = error.isReadOnly ? .refusesWrites : .isOutdated
        }
        awaitsEndOfResult = status != PGRES_PIPELINE_SYNC
        act(on: pipeline.receive(event), rows)
    }

    private func act(on action: Pipeline<Int>.Action?, _ rows: Rows) {
        let retained = retainedRows
        retainedRows = nil
        switch action {
        case .complete(let message): finish(message, .success(rows))
        case .retain: retainedRows = rows
        case .completeRetained(let message): finish(message, .success(retained ?? rows))
        case .fail(let message, let error): finish(message, .failure(error))
        case .resend(let message): batch.skip(message)
        case .mismatch:
            lose(PostgresError(.connectionLost, detail: "a response out of its order"))
        case nil: break
        }
    }

    private func finish(_ message: Int, _ outcome: PendingQuery.Outcome) {
        times.record(batch.statement(of: message).statement, loop.now - sentAt, at: loop.now)
        if case .success(let rows) = outcome {
            rows.execution = Execution(
                batch: batchNumber, place: message, laterBatch: batches.next)
        }
        batch.receive(outcome, for: message) { query, outcome in query.finish(outcome) }
    }

    // MARK: Losing

    /// Breaks the connection, whose state is in doubt, so that the pool makes a new one.
    func reset() {
        lose(PostgresError(.connectionLost, detail: "reset"))
    }

    /// Closes the connection, which is idle.
    func replace() {
        lose(PostgresError(.connectionLost, detail: "replaced"), .wasReplaced)
    }

    private func timedOut() {
        guard state == .ready else { return connectTimedOut() }
        cancelRemotely()
        lose(PostgresError(.unavailable, detail: "no response in time"), .wasSilent)
    }

    /// Asks PostgreSQL to cancel the running statement. Closing the connection wouldn't stop it,
    /// and its backend would exceed the number that the pool may have. The request is sent on
    /// another thread because it blocks.
    private func cancelRemotely() {
        guard let cancellation = handle?.cancellation else { return }
        DispatchQueue.global().async { cancellation.send() }
    }

    private func failure() -> PostgresError {
        let message = handle?.errorMessage ?? ""
        guard state == .connecting else { return PostgresError(.unavailable, message) }
        return PostgresError(refusal: message)
    }

    private func lose(_ error: PostgresError, _ loss: ConnectionLoss = .broke) {
        guard state != .down else { return }
        let loss = state == .connecting ? .wasNotMade : loss
        let pending = takePending()
        disconnect()
        owner?.connectionWasLost(self, error, loss, pending: pending)
    }

    /// Forgets the queries that were sent and have no outcome, and returns them.
    private func takePending() -> [SharedQuery] { batch.lose(pipeline.lose().map(\.id)) }

    /// Closes the connection. The caller must finish the pending queries.
    private func disconnect() {
        state = .down
        epoch += 1
        watchdog.clear()
        awaitsEndOfResult = false
        retainedRows = nil
        fault = nil
        isWaitingToWrite = false
        isIdentifying = false
        closeHandle()
    }

    private func closeHandle() {
        if let registration { loop.cancel(registration) }
        registration = nil
        registeredSocket = -1
        handle = nil
    }

    /// Closes the connection and fails the pending queries.
    func close() {
        let pending = takePending()
        disconnect()
        for query in pending { query.finish(.failure(query.lossError)) }
    }
}

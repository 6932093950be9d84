import Glibc
import HTTP
import HTTPTypes
import Sockets

/// One client's connection. It reads requests one after another, and writes the responses in the
/// same order.
///
/// A request is parsed only once the previous one has had its response and most of the response has
/// been sent. A connection's memory is therefore bounded, even if the client sends much or reads
/// nothing. `ConnectionState` decides all of this: the connection tells it of each event, and carries
/// out its actions. The stream retains the connection while the stream is open. Confined to its loop.
// @unchecked: the task that responds to a request captures the connection, but runs on the same loop.
final class Connection: ByteStreamDelegate, NextTurnHandler, ResponseRecipient,
    @unchecked Sendable
{
    let client: ClientAddress
    /// Where the connection waits; `nil` before its first wait, and once it is closed.
    var place: WaitingPlace?
    private let stream: ByteStream
    private let server: LoopServer
    private var parser: RequestParser
    private var state: ConnectionState
    /// The start of the turn that completed the request in progress.
    private var requestTime = MonotonicTime(nanoseconds: 0)
    /// The request that waits for its turn.
    private var queued: Request?
    /// Makes the response, or decides whether to read a large body.
    private var task: Task<Void, Never>?

    /// - Parameter refusal: Why the client is sent an error at once; `nil` to serve it.
    init(
        _ stream: ByteStream, from client: ClientAddress, server: LoopServer,
        refusal: ConnectionError?
    ) {
        self.stream = stream
        self.client = client
        self.server = server
        parser = RequestParser(limits: server.configuration.limits)
        state = ConnectionState(
            isRefused: refusal != nil, limits: ConnectionState.Limits(server.configuration))
        stream.delegate = self
        noteWait()
        if let refusal { refuseNow(refusal) }
    }

    /// Whether the connection was opened only to be refused. It doesn't count towards the limits.
    var isRefused: Bool { state.isRefused }

    // MARK: Events of the stream

    func streamReceived(_ bytes: Span<UInt8>) -> Int {
        guard !state.isLingering else {
            perform(state.discards(bytes.count))
            return bytes.count
        }
        let consumed = takeRequests(bytes)
        server.statistics.receivedBytes += consumed
        stream.sendWritten()
        perform(
            state.deliveryEnds(
                in: parser.part, holdsRest: consumed < bytes.count, output: stream.outputCount))
        return consumed
    }

    func streamIsInClearText() {
        if state.isReading { refuseNow(.inClearText) }
    }

    func streamReachedEnd() { perform(state.clientEnds()) }

    func streamDrained() { perform(state.outputDrains()) }

    func streamFailed(_ error: SystemError) { close() }

    func turnContinues() { perform(state.turnContinues()) }

    // MARK: Events of the server

    /// Responds to the queued request, whose turn has come.
    func startQueued() {
        guard let request = queued.take() else { return }
        start(request)
        performNext()
    }

    /// Called when what the connection waits for has not come in time.
    func timePassed() {
        switch state.timePassed(hasRead: countOutput() < 0, bodyCount: parser.bodyCount) {
        case .waitAgain(let wait): server.connectionWaits(self, for: wait)
        case .refuse(let error): refuseNow(error)
        case .close: close()
        }
    }

    /// Makes the next response the last one. A request that is pending in the kernel is still
    /// responded to.
    func drain() {
        state.drains()
        if state.isReading { stream.readNow() }
    }

    /// Closes the connection unless a request is being read or responded to, or is pending in the
    /// kernel.
    ///
    /// - Returns: Whether the connection is closed.
    @discardableResult
    func closeIfIdle() -> Bool {
        if state.isReading { stream.readNow() }
        if state.isIdle { close() }
        return !state.isOpen
    }

    func close() {
        guard state.isOpen else { return }
        state.closes()
        releaseBody()
        queued = nil
        task?.cancel()
        server.unsentBytes += state.outputChanges(to: 0)
        stream.close()
        server.connectionClosed(self)
    }

    // MARK: Actions

    private func perform(_ actions: ConnectionState.Actions) {
        if actions.contains(.sendContinue) { sendContinue() }
        if actions.contains(.countBody) { countBody() }
        if actions.contains(.askForAdmission) { askForAdmission() }
        if actions.contains(.cancelTask) { task?.cancel() }
        if actions.contains(.finishWriting) { stream.finishWriting() }
        if actions.contains(.noteWait) { noteWait() }
        if actions.contains(.close) { close() }
        if actions.contains(.resumeReading) {
            stream.resumeReading()
            perform(state.hasResumed(output: stream.outputCount))
        }
    }

    /// Carries out what follows an event outside a delivery.
    private func performNext() { perform(state.nextActions(output: stream.outputCount)) }

    /// Tells the server what the connection now waits for.
    private func noteWait() {
        guard state.isOpen else { return }
        countOutput()
        guard let wait = state.newWait(after: place?.wait) else { return }
        server.connectionWaits(self, for: wait)
        if wait == .reader { server.boundOutput() }
    }

    /// Updates the server's count of unsent bytes.
    ///
    /// - Returns: How many more bytes are unsent than at the last call.
    @discardableResult
    private func countOutput() -> Int {
        let change = state.outputChanges(to: stream.outputCount)
        server.unsentBytes += change
        return change
    }

    // MARK: Requests

    private func takeRequests(_ bytes: Span<UInt8>) -> Int {
        var consumed = 0
        while mayParse() {
            do throws(RequestError) {
                let (count, event) = try parser.parse(bytes.extracting(consumed...))
                consumed += count
                switch event {
                case .request(let request): respond(request)
                case .head(let expectsContinue):
                    perform(
                        state.headerIsComplete(
                            announcesLargeBody: parser.mayBeLarge,
                            expectsContinue: expectsContinue))
                case nil:
                    guard count == 0 || consumed == bytes.count else { break }
                    if parser.hasHead { perform(state.bodyIsIncomplete()) }
                    return consumed
                }
            } catch {
                refuse(.badRequest(error))
                return bytes.count
            }
        }
        return consumed
    }

    private func mayParse() -> Bool {
        if stream.outputCount >= ConnectionState.outputHighWater { stream.sendWritten() }
        switch state.nextStep(output: stream.outputCount) {
        case .parse: return true
        case .awaitTurn: stream.loop.atNextTurn(self)
        case .stop: break
        }
        return false
    }

    /// Counts a body that has yet to arrive, for the client that sends it. Refuses the request if
    /// the server already awaits as many bodies as it may, from this client or from all clients.
    private func countBody() {
        guard let request = parser.pending else { return }
        let sender = server.responder.client(of: request, from: client)
        let body = CountedBody(
            owner: server.configuration.owner(sender), isLarge: parser.mayBeLarge)
        do throws(ConnectionError) {
            try server.add(body)
            perform(state.bodyIsCounted(body))
        } catch {
            refuse(error)
        }
    }

    private func releaseBody() {
        if let body = state.releaseBody() { server.remove(body) }
    }

    /// Asks the responder whether to read a large body, before reading any of it.
    private func askForAdmission() {
        guard let request = parser.pending else { return }
        requestTime = stream.loop.now
        let responder = server.responder
        let client = client
        task = Task(executorPreference: stream.loop) {
            let refusal = await responder.refusal(of: request, from: client)
            self.task = nil
            if let refusal {
                // The body remains unread, so it is unknown where the next request begins.
                self.finish(request, with: refusal, mayPersist: false)
            } else {
                self.perform(self.state.bodyIsAdmitted())
            }
            self.performNext()
        }
    }

    private func respond(_ request: Request) {
        state.requestIsComplete()
        requestTime = stream.loop.now
        switch server.responder.respondFromMemory(to: request, from: client, for: self) {
        case .response(let response): finish(request, with: response)
        case .pending: break
        case .nothing: make(request)
        }
    }

    func receive(_ response: Response?, to request: Request) {
        guard state.isRecalling else { return }
        if let response { finish(request, with: response) } else { make(request) }
        performNext()
    }

    /// Starts making the response, unless too many responses are already being made.
    private func make(_ request: Request) {
        guard !server.admitsRequest() else { return start(request) }
        queued = request
        state.requestIsQueued()
    }

    private func start(_ request: Request) {
        state.responseBegins()
        let responder = server.responder
        let client = client
        task = Task(executorPreference: stream.loop) {
            let response = await responder.respond(to: request, from: client)
            self.task = nil
            self.finish(request, with: response)
            self.server.hasResponded()
            self.performNext()
        }
    }

    // MARK: Responses

    private func sendContinue() {
        stream.write { $0 += "HTTP/1.1 100 Continue\r\n\r\n".utf8 }
    }

    private func finish(
        _ request: Request, with response: Response, mayPersist: Bool = true
    ) {
        releaseBody()
        let persists = state.responds(
            mayPersist: mayPersist && request.isPersistent && !server.isEnding
                && response.headerFields[.connection] != "close")
        // Before the client can know of the response, so that the log is never behind it.
        note(request, response)
        guard let persists else { return }
        write(
            response, forHEAD: request.method == .head, minorVersion: request.minorVersion,
            keepsAlive: persists)
    }

    /// Tells the responder of a response, whether or not the client is still there.
    private func note(_ request: Request, _ response: Response) {
        server.responder.responded(
            request, from: client, with: response, after: MonotonicTime.read() - requestTime)
    }

    private func write(
        _ response: Response, forHEAD: Bool, minorVersion: Int, keepsAlive: Bool
    ) {
        let hasBody = !forHEAD && ResponseSerializer.hasContent(response)
        if hasBody { server.statistics.sentBytes += response.body.count }
        stream.write(body: hasBody ? response.body : []) { output in
            let start = output.count
            ResponseSerializer.appendHead(
                of: response, to: &output, minorVersion: minorVersion, keepsAlive: keepsAlive,
                date: server.date.text)
            server.statistics.sentBytes += output.count - start
        }
    }

    /// Sends an error outside a delivery.
    private func refuseNow(_ error: ConnectionError) {
        refuse(error)
        performNext()
    }

    /// Sends an error without waiting for a request, or for the turn of the queued one. The connection
    /// ends then.
    private func refuse(_ error: ConnectionError) {
        let response = server.responder.response(to: error, at: parser.target)
        if let request = queued.take() { note(request, response) }
        server.statistics.refusals[error.reason, default: 0] += 1
        state.refuses()
        write(response, forHEAD: false, minorVersion: 1, keepsAlive: false)
    }
}

extension RequestParser {
    /// The part of a message that the parser has begun to read.
    fileprivate var part: ConnectionState.MessagePart {
        hasHead ? .body : isIdle ? .none : .header
    }
}

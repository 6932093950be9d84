import Glibc
import HTTP
import HTTPTypes
import Sockets

/// One client's connection. It reads requests one after another, and writes the responses in the
/// same order.
///
/// A request is parsed only once the previous one has had its response and most of the response has
/// been sent. A connection's memory is therefore bounded, even if the client sends much or reads
/// nothing. The stream retains the connection while the stream is open. Confined to its loop.
// @unchecked: the task that responds to a request captures the connection, but runs on the same loop.
final class Connection: ByteStreamDelegate, NextTurnHandler, ResponseRecipient,
    @unchecked Sendable
{
    private enum Phase {
        /// Waits for a request, or for the rest of one.
        case reading
        case responding
        /// The last response is written. What the client still sends is read and discarded, because
        /// closing a socket with unread bytes would make the kernel drop the response (RFC 9112
        /// section 9.6). The time, the bytes and the number of such connections are bounded.
        case lingering
    }

    let client: ClientAddress
    /// Whether the connection was opened only to be refused. It doesn't count towards the limits.
    let isRefused: Bool
    /// The connection's place in the waiting list that it is in.
    var place = WaitingPlace()
    private let stream: ByteStream
    private let server: LoopServer
    private var parser: RequestParser
    private var phase = Phase.reading
    private var mustClose = false
    private var requestCount = 0
    /// The start of the turn that completed the request in progress.
    private var requestTime = MonotonicTime(nanoseconds: 0)
    /// Whether the stream holds bytes that the parser has not consumed.
    private var holdsRest = false
    /// How many of the server's `unsentBytes` are this connection's.
    private var countedOutput = 0
    /// The body that the connection awaits or holds; `nil` if there is none, or if it arrived together
    /// with the head.
    private var countedBody: CountedBody?
    private var responseTask: Task<Void, Never>?
    /// A request that arrived while the loop was already serving as many as it may at once.
    private var queued: Request?
    /// How many bytes were discarded while lingering.
    private var discardedBytes = 0
    /// Whether the remaining requests wait for the next turn.
    private var awaitsNextTurn = false

    /// No further request is parsed while this many bytes of output or more are pending.
    private static let outputHighWater = 65_536
    /// The most pipelined requests of one client to serve in a turn, so that the loop's other
    /// clients are served too.
    private static let requestsPerTurn = 64

    /// - Parameter refusal: Why the client is sent an error at once; `nil` to serve it.
    init(
        _ stream: ByteStream, from client: ClientAddress, server: LoopServer,
        refusal: ConnectionError?
    ) {
        self.stream = stream
        self.client = client
        self.server = server
        isRefused = refusal != nil
        parser = RequestParser(limits: server.configuration.limits)
        stream.delegate = self
        server.connectionWaits(self, for: currentWait)
        if let refusal { refuse(refusal) }
    }

    /// Whether no request is being read or responded to.
    private var isIdle: Bool { phase == .reading && parser.isIdle && !holdsRest }

    // MARK: Requests

    func streamReceived(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard phase != .lingering else {
            discardedBytes += bytes.count
            if discardedBytes > server.configuration.lingerBytes { close() }
            return bytes.count
        }
        let respondedBefore = requestCount
        let consumed = takeRequests(bytes)
        server.statistics.receivedBytes += consumed
        holdsRest = consumed < bytes.count
        stream.sendWritten()
        noteWait(isAnother: requestCount != respondedBefore)
        if phase == .lingering { closeIfEnded() }
        return consumed
    }

    private func takeRequests(_ bytes: UnsafeRawBufferPointer) -> Int {
        var consumed = 0
        let firstRequest = requestCount
        while phase == .reading, hasRoom() {
            guard requestCount - firstRequest < Self.requestsPerTurn else {
                continueNextTurn()
                return consumed
            }
            do throws(RequestError) {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[consumed...])
                let (count, event) = try parser.parse(rest)
                consumed += count
                switch event {
                case .request(let request): respond(request)
                case .head(let expectsContinue):
                    // RFC 9110 section 10.1.1. The parser has already rejected a body whose
                    // announced length is too great.
                    if parser.mayBeLarge {
                        admitBody(expectsContinue: expectsContinue)
                    } else if expectsContinue {
                        sendContinue()
                    }
                case nil:
                    guard count == 0 || consumed == bytes.count else { break }
                    if parser.hasHead { countBody() }
                    return consumed
                }
            } catch {
                refuse(.badRequest(error))
                return bytes.count
            }
        }
        return consumed
    }

    /// Counts a body that has yet to arrive, for the client that sends it. Refuses the request if
    /// the server already awaits as many bodies as it may, from this client or from all clients.
    private func countBody() {
        guard countedBody == nil, let request = parser.pending else { return }
        let sender = server.responder.client(of: request, from: client)
        let body = CountedBody(
            owner: server.configuration.owner(sender), isLarge: parser.mayBeLarge)
        do throws(ConnectionError) {
            try server.add(body)
            countedBody = body
        } catch {
            refuse(error)
        }
    }

    private func releaseBody() {
        if let countedBody { server.remove(countedBody) }
        countedBody = nil
    }

    /// Asks the responder whether to read a large body, before reading any of it.
    private func admitBody(expectsContinue: Bool) {
        countBody()
        guard phase == .reading, let request = parser.pending else { return }
        phase = .responding
        requestTime = stream.loop.now
        let responder = server.responder
        let client = client
        responseTask = Task(executorPreference: stream.loop) {
            let refusal = await responder.refusal(of: request, from: client)
            self.responseTask = nil
            if let refusal {
                // The body remains unread, so it is unknown where the next request begins.
                self.mustClose = true
                self.finish(request, with: refusal)
            } else if self.stream.isOpen {
                self.phase = .reading
                if expectsContinue { self.sendContinue() }
                self.noteWait()
                self.resumeAfterResponse()
            }
        }
    }

    private func sendContinue() {
        stream.write { $0 += "HTTP/1.1 100 Continue\r\n\r\n".utf8 }
    }

    /// Whether enough of the body has arrived since the last call.
    private func bodyArrives() -> Bool {
        guard let before = countedBody?.arrived else { return false }
        countedBody?.arrived = parser.bodyCount
        return parser.bodyCount - before >= server.configuration.bodyBytesPerTimeout
    }

    private func continueNextTurn() {
        guard !awaitsNextTurn else { return }
        awaitsNextTurn = true
        stream.loop.atNextTurn(self)
    }

    func turnContinues() {
        awaitsNextTurn = false
        if stream.isOpen, phase == .reading { resume() }
    }

    /// Whether there is room for the response to another request.
    private func hasRoom() -> Bool {
        if stream.outputCount >= Self.outputHighWater { stream.sendWritten() }
        return stream.outputCount < Self.outputHighWater
    }

    private func respond(_ request: Request) {
        phase = .responding
        requestCount += 1
        requestTime = stream.loop.now
        switch server.responder.respondFromMemory(to: request, from: client, for: self) {
        case .response(let response): finish(request, with: response)
        case .pending: break
        case .nothing: make(request)
        }
    }

    func receive(_ response: Response?, to request: Request) {
        guard stream.isOpen, phase == .responding else { return }
        guard let response else {
            make(request)
            return noteWait()
        }
        finish(request, with: response)
        resumeAfterResponse()
    }

    /// Starts making the response, unless too many responses are already being made.
    private func make(_ request: Request) {
        if server.admitsRequest() {
            start(request)
        } else {
            queued = request
        }
    }

    /// Responds to the queued request, whose turn has come.
    func startQueued() {
        guard let request = queued else { return }
        queued = nil
        start(request)
        noteWait()
    }

    private func start(_ request: Request) {
        let responder = server.responder
        let client = client
        responseTask = Task(executorPreference: stream.loop) {
            let response = await responder.respond(to: request, from: client)
            self.responseTask = nil
            self.finish(request, with: response)
            self.server.hasResponded()
            self.resumeAfterResponse()
        }
    }

    private func resumeAfterResponse() {
        guard stream.isOpen, phase == .reading else { return }
        if stream.hasInput || stream.hasEnded { resume() }
    }

    private func finish(_ request: Request, with response: Response) {
        releaseBody()
        guard stream.isOpen else { return note(request, response) }
        // A client that has finished sending may have sent further requests first, which are still
        // pending.
        let isLast = stream.hasEnded && !stream.hasInput
        let keepsAlive =
            request.isPersistent && !mustClose && !isLast && !server.isEnding
            && requestCount < server.configuration.requestsPerConnection
            && response.headerFields[.connection] != "close"
        // Before the client can know of the response, so that the log is never behind it.
        note(request, response)
        write(
            response, forHEAD: request.method == .head, minorVersion: request.minorVersion,
            keepsAlive: keepsAlive)
        guard stream.isOpen else { return }
        guard keepsAlive else { return linger() }
        phase = .reading
        noteWait()
    }

    /// Tells the responder of a response, whether or not the client is still there.
    private func note(_ request: Request, _ response: Response) {
        server.responder.responded(
            request, from: client, with: response, after: MonotonicTime.read() - requestTime)
    }

    private func resume() {
        stream.resumeReading()
        lingerIfEnded()
    }

    /// Lingers if the client has finished sending and has left no whole request. That is unknown
    /// while much output is pending or the next turn is awaited, because requests may then be held
    /// back.
    private func lingerIfEnded() {
        guard stream.isOpen, stream.hasEnded, phase == .reading, !awaitsNextTurn,
            stream.outputCount < Self.outputHighWater
        else { return }
        linger()
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

    /// Sends an error without waiting for a request, then closes the connection.
    func refuse(_ error: ConnectionError) {
        refuse(error, with: server.responder.response(to: error, at: parser.target))
    }

    private func refuse(_ error: ConnectionError, with response: Response) {
        server.statistics.refusals[error.reason, default: 0] += 1
        write(response, forHEAD: false, minorVersion: 1, keepsAlive: false)
        if stream.isOpen { linger() }
    }

    // MARK: Waiting

    /// Tells the server what the connection now waits for.
    ///
    /// - Parameter isAnother: Whether a wait of the same kind is a new one, with the full time
    ///   limit. Otherwise the current wait continues.
    private func noteWait(isAnother: Bool = false) {
        guard stream.isOpen else { return }
        countOutput()
        let wait = currentWait
        guard wait != place.wait || isAnother else { return }
        server.connectionWaits(self, for: wait)
        if wait == .reader { server.boundOutput() }
    }

    private var currentWait: Wait {
        if isRefused { return .refusedEnd }
        if phase == .responding { return queued == nil ? .response : .turn }
        if stream.outputCount > 0 { return .reader }
        if phase == .lingering { return .end }
        if parser.hasHead { return .body }
        if !parser.isIdle || holdsRest { return .header }
        return requestCount == 0 ? .firstRequest : .request
    }

    /// Updates the server's count of unsent bytes.
    ///
    /// - Returns: Whether the client has read some of the output since the last call.
    @discardableResult
    func countOutput() -> Bool {
        let count = stream.outputCount
        defer { countedOutput = count }
        server.unsentBytes += count - countedOutput
        return count < countedOutput
    }

    /// Called when what the connection waits for has not come in time.
    func timePassed() {
        switch place.wait {
        case .reader where countOutput():
            // A slow reader may continue as long as it reads at all.
            server.connectionWaits(self, for: .reader)
        case .body where bodyArrives():
            server.connectionWaits(self, for: .body)
        case .header, .body: refuse(.requestTimeout)
        case .turn:
            let response = server.responder.response(to: .overloaded)
            if let request = queued { note(request, response) }
            queued = nil
            refuse(.overloaded, with: response)
        case .firstRequest, .request, .response, .reader, .end, .refusedEnd, nil: close()
        }
    }

    // MARK: The end

    func streamIsInClearText() {
        if phase == .reading { refuse(.inClearText) }
    }

    func streamReachedEnd() {
        switch phase {
        case .reading:
            if isIdle, stream.outputCount == 0 {
                close()
            } else {
                // Requests may have been held back, and there may be room for them now.
                resume()
            }
        case .responding:
            // The client may have closed only its side, or it may be gone. A response that still
            // has to wait for a scarce resource is therefore no longer worth making.
            responseTask?.cancel()
        case .lingering: closeIfEnded()
        }
    }

    func streamDrained() {
        noteWait()
        switch phase {
        case .reading:
            if mustClose, isIdle {
                linger()
            } else if stream.hasInput || stream.hasEnded {
                resume()
            }
        case .responding: break
        case .lingering: closeIfEnded()
        }
    }

    private func closeIfEnded() {
        if stream.hasEnded, stream.outputCount == 0 { close() }
    }

    func streamFailed(_ error: SystemError) {
        close()
    }

    private func linger() {
        phase = .lingering
        stream.finishWriting()
        noteWait()
        closeIfEnded()
        stream.resumeReading()
    }

    /// Makes the next response the last one. A request that is pending in the kernel is still
    /// responded to.
    func drain() {
        mustClose = true
        if phase == .reading { stream.readNow() }
    }

    /// Closes the connection unless a request is being read or responded to, or is pending in the
    /// kernel.
    ///
    /// - Returns: Whether the connection is closed.
    @discardableResult
    func closeIfIdle() -> Bool {
        if phase == .reading { stream.readNow() }
        if isIdle, stream.outputCount == 0 { close() }
        return !stream.isOpen
    }

    func close() {
        guard place.wait != nil else { return }
        phase = .lingering
        releaseBody()
        queued = nil
        responseTask?.cancel()
        server.unsentBytes -= countedOutput
        countedOutput = 0
        stream.close()
        server.connectionClosed(self)
    }
}

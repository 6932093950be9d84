import Glibc
import HTTP
import HTTPTypes
import Sockets

/// One client's connection: requests in, one after the other, and responses out in that order.
///
/// A request is parsed only when the one before is answered and most of the answer has left, so
/// neither a client that sends much nor one that reads nothing makes it grow. Its stream keeps it
/// while it is open. Confined to its loop.
// @unchecked: the task that answers a request carries it, and runs on the same loop.
final class Connection: ByteStreamDelegate, NextTurnHandler, @unchecked Sendable {
    private enum Phase {
        /// Waits for a request, or for the rest of one.
        case reading
        case responding
        /// The last answer is written; what the client still sends is read and thrown away, because
        /// closing with bytes unread would make the kernel drop the answer. RFC 9112 section 9.6.
        case lingering
    }

    let client: ClientAddress
    /// The list's that it is in.
    var place = WaitingPlace()
    private let stream: ByteStream
    private let server: LoopServer
    private var parser: RequestParser
    private var phase = Phase.reading
    private var mustClose = false
    private var requestCount = 0
    /// Whether the stream keeps bytes that the parser has not taken.
    private var holdsRest = false
    /// What the server counts as waiting to be sent for this client.
    private var countedOutput = 0
    private var answering: Task<Void, Never>?
    /// A request that has come while the loop was answering as many as it does at once.
    private var queued: Request?
    /// Whether requests are left for the next turn.
    private var awaitsNextTurn = false

    /// More output than this waiting, and no further request is taken.
    private static let outputHighWater = 65_536
    /// A client that sends requests ahead gets at most so many answers at once, so that the others of
    /// the loop have theirs.
    private static let requestsPerTurn = 64

    init(_ stream: ByteStream, from client: ClientAddress, server: LoopServer) {
        self.stream = stream
        self.client = client
        self.server = server
        parser = RequestParser(limits: server.configuration.limits)
        stream.delegate = self
        server.connectionWaits(self, for: .firstRequest)
    }

    /// Whether no request is being read or answered.
    private var isIdle: Bool { phase == .reading && parser.isIdle && !holdsRest }

    // MARK: Requests

    func streamReceived(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard phase != .lingering else { return bytes.count }
        let answeredBefore = requestCount
        let consumed = takeRequests(bytes)
        holdsRest = consumed < bytes.count
        stream.sendWritten()
        noteWait(isAnother: requestCount != answeredBefore)
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
                case .request(let request): answer(request)
                case .head(let expectsContinue):
                    // RFC 9110 section 10.1.1. A body that is too long was refused by the parser.
                    if expectsContinue {
                        stream.write { $0 += "HTTP/1.1 100 Continue\r\n\r\n".utf8 }
                    }
                case nil: if count == 0 || consumed == bytes.count { return consumed }
                }
            } catch {
                refuse(.badRequest(error))
                return bytes.count
            }
        }
        return consumed
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

    /// Whether the answer to another request may be written.
    private func hasRoom() -> Bool {
        if stream.outputCount >= Self.outputHighWater { stream.sendWritten() }
        return stream.outputCount < Self.outputHighWater
    }

    private func answer(_ request: Request) {
        phase = .responding
        requestCount += 1
        if let response = server.responder.respondAtOnce(to: request, from: client) {
            return finish(request, with: response)
        }
        if server.admitsRequest() {
            start(request)
        } else {
            queued = request
        }
    }

    /// Answers the request that was queued: it is its turn.
    func startQueued() {
        guard let request = queued else { return }
        queued = nil
        start(request)
        noteWait()
    }

    private func start(_ request: Request) {
        let responder = server.responder
        let client = client
        answering = Task(executorPreference: stream.loop) {
            let response = await responder.respond(to: request, from: client)
            self.answering = nil
            self.finish(request, with: response)
            self.server.hasAnswered()
            guard self.stream.isOpen, self.phase == .reading else { return }
            if self.stream.hasInput || self.stream.hasEnded { self.resume() }
        }
    }

    private func finish(_ request: Request, with response: Response) {
        guard stream.isOpen else { return }
        // A client that has ended may have sent more requests before.
        let isLast = stream.hasEnded && !stream.hasInput
        let keepsAlive =
            request.isPersistent && !mustClose && !isLast && !server.isEnding
            && requestCount < server.configuration.requestsPerConnection
            && response.headerFields[.connection] != "close"
        write(
            response, forHEAD: request.method == .head, minorVersion: request.minorVersion,
            keepsAlive: keepsAlive)
        guard stream.isOpen else { return }
        guard keepsAlive else { return linger() }
        phase = .reading
        noteWait()
    }

    private func resume() {
        stream.resumeReading()
        lingerIfEnded()
    }

    /// When the client has ended and no whole request is left of what it sent. While much output
    /// waits, or the next turn, that is not known: requests may be held back.
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
        stream.write(body: hasBody ? response.body : []) { output in
            ResponseSerializer.appendHead(
                of: response, to: &output, minorVersion: minorVersion, keepsAlive: keepsAlive,
                date: server.date.text)
        }
    }

    /// Answers without a request, and closes.
    func refuse(_ error: ConnectionError) {
        write(
            server.responder.response(to: error), forHEAD: false, minorVersion: 1,
            keepsAlive: false)
        if stream.isOpen { linger() }
    }

    // MARK: Waiting

    /// Tells the server what is waited for from now on.
    ///
    /// - Parameter isAnother: Whether a wait of the same kind is another one, which has all its time;
    ///   otherwise it goes on.
    private func noteWait(isAnother: Bool = false) {
        guard stream.isOpen else { return }
        countOutput()
        let wait = currentWait
        guard wait != place.wait || isAnother else { return }
        server.connectionWaits(self, for: wait)
        if wait == .reader { server.boundOutput() }
    }

    private var currentWait: Wait {
        if phase == .responding { return queued == nil ? .answer : .turn }
        // Refused before it has shaken hands, it has no more time for that than others.
        if phase == .lingering, stream.isHandshaking { return .firstRequest }
        if stream.outputCount > 0 { return .reader }
        if phase == .lingering { return .end }
        if parser.hasHead { return .body }
        if !parser.isIdle || holdsRest { return .header }
        return requestCount == 0 ? .firstRequest : .request
    }

    /// - Returns: Whether the client has read some of it since the last time.
    @discardableResult
    func countOutput() -> Bool {
        let count = stream.outputCount
        defer { countedOutput = count }
        server.unsentBytes += count - countedOutput
        return count < countedOutput
    }

    /// What it waits for has not come in time.
    func timePassed() {
        switch place.wait {
        case .reader where countOutput():
            // A slow reader may go on as long as it reads at all.
            server.connectionWaits(self, for: .reader)
        case .header, .body: refuse(.requestTimeout)
        case .turn:
            queued = nil
            refuse(.overloaded)
        case .firstRequest, .request, .answer, .reader, .end, nil: close()
        }
    }

    // MARK: The end

    func streamReachedEnd() {
        switch phase {
        case .reading:
            if isIdle, stream.outputCount == 0 {
                close()
            } else {
                // Requests may be held back that there is room for by now.
                resume()
            }
        case .responding:
            // It may only have ended its side, or have gone: an answer that must wait for what is
            // scarce need not be made any more.
            answering?.cancel()
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

    /// From now on the next answer is the last one. A request that waits in the kernel is answered.
    func drain() {
        mustClose = true
        if phase == .reading { stream.readNow() }
    }

    /// Closes if no request is being read or answered, nor waits in the kernel.
    ///
    /// - Returns: Whether it is closed.
    @discardableResult
    func closeIfIdle() -> Bool {
        if phase == .reading { stream.readNow() }
        // Refused, it has nothing to lose but the reason.
        if isIdle && stream.outputCount == 0 || phase == .lingering { close() }
        return !stream.isOpen
    }

    func close() {
        guard place.wait != nil else { return }
        phase = .lingering
        queued = nil
        answering?.cancel()
        server.unsentBytes -= countedOutput
        countedOutput = 0
        stream.close()
        server.connectionClosed(self)
    }
}

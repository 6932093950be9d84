import Glibc
import HTTP
import HTTPTypes
import Sockets

/// One client's connection: requests in, one after the other, and responses out in that order.
///
/// A request is parsed only when the one before is answered and most of the answer has left, so
/// neither a client that sends much nor one that reads nothing makes it grow. Confined to its loop.
// @unchecked: the task that answers a request carries it, and runs on the same loop.
final class Connection: ByteStreamDelegate, @unchecked Sendable {
    private enum Phase {
        /// Waits for a request, or for the rest of one.
        case reading
        case responding
        /// The last answer is written; what the client still sends is read and thrown away, because
        /// closing with bytes unread would make the kernel drop the answer. RFC 9112 section 9.6.
        case lingering
    }

    private let stream: ByteStream
    private unowned let server: LoopServer
    private let client: ClientAddress
    private var parser: RequestParser
    private var phase = Phase.reading
    private var mustClose = false
    private var requestCount = 0
    private var outputAtLastLook = 0
    private lazy var deadline = Deadline(on: stream.loop) { [weak self] in self?.deadlinePassed() }

    /// More output than this waiting, and no further request is taken.
    private static let outputHighWater = 65_536
    private static let lingerTime = Duration.seconds(2)

    init(_ stream: ByteStream, server: LoopServer) {
        self.stream = stream
        self.server = server
        client = ClientAddress(host: stream.peer.map { $0.path == nil ? $0.host : "" } ?? "")
        parser = RequestParser(limits: server.configuration.limits)
        stream.delegate = self
        deadline.set(after: server.configuration.headerTimeout)
    }

    /// Whether no request is being read or answered.
    var isIdle: Bool { phase == .reading && parser.isIdle && !stream.hasInput }

    // MARK: Requests

    func streamReceived(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard phase != .lingering else { return bytes.count }
        let wasIdle = parser.isIdle
        var consumed = 0
        while phase == .reading, stream.outputCount < Self.outputHighWater {
            do throws(RequestError) {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[consumed...])
                let (count, event) = try parser.parse(rest)
                consumed += count
                switch event {
                case .request(let request): answer(request)
                case .head(let expectsContinue): awaitBody(expectsContinue: expectsContinue)
                case nil:
                    if count == 0 || consumed == bytes.count {
                        // A body has its own limit, which stands already.
                        let hasBegun = !parser.isIdle || consumed < bytes.count
                        if wasIdle, hasBegun, !parser.hasHead { awaitHeader() }
                        return consumed
                    }
                }
            } catch {
                refuse(.badRequest(error))
                return bytes.count
            }
        }
        return consumed
    }

    private func awaitHeader() {
        deadline.set(after: server.configuration.headerTimeout)
    }

    private func awaitBody(expectsContinue: Bool) {
        deadline.set(after: server.configuration.bodyTimeout)
        // RFC 9110 section 10.1.1. A body that is too long was refused by the parser already.
        if expectsContinue { stream.write { $0 += "HTTP/1.1 100 Continue\r\n\r\n".utf8 } }
    }

    private func answer(_ request: Request) {
        phase = .responding
        deadline.clear()
        requestCount += 1
        let responder = server.responder
        let client = client
        Task(executorPreference: stream.loop) {
            let response = await responder.respond(to: request, from: client)
            self.finish(request, with: response)
        }
    }

    private func finish(_ request: Request, with response: Response) {
        guard stream.isOpen else { return }
        // A client that has ended may have sent more requests before.
        let isLast = stream.hasEnded && !stream.hasInput
        let keepsAlive =
            request.isPersistent && !mustClose && !isLast && !server.isDraining
            && requestCount < server.configuration.requestsPerConnection
            && response.headerFields[.connection] != "close"
        write(
            response, forHEAD: request.method == .head, minorVersion: request.minorVersion,
            keepsAlive: keepsAlive)
        guard keepsAlive else { return linger() }
        phase = .reading
        outputAtLastLook = stream.outputCount
        deadline.set(after: server.configuration.idleTimeout)
        if stream.hasInput || stream.hasEnded { resume() }
    }

    private func resume() {
        stream.resumeReading()
        lingerIfEnded()
    }

    /// When the client has ended and no whole request is left of what it sent. While much output
    /// waits that is not known: requests may be held back until it has gone.
    private func lingerIfEnded() {
        guard stream.isOpen, stream.hasEnded, phase == .reading,
            stream.outputCount < Self.outputHighWater
        else { return }
        linger()
    }

    private func write(
        _ response: Response, forHEAD: Bool, minorVersion: Int, keepsAlive: Bool
    ) {
        stream.write { output in
            ResponseSerializer.append(
                response, to: &output, forHEAD: forHEAD, minorVersion: minorVersion,
                keepsAlive: keepsAlive, date: server.date.text)
        }
    }

    /// Answers without a request, and closes.
    func refuse(_ error: ConnectionError) {
        write(
            server.responder.response(to: error), forHEAD: false, minorVersion: 1,
            keepsAlive: false)
        linger()
    }

    // MARK: The end

    func streamReachedEnd() {
        switch phase {
        case .reading:
            if parser.isIdle, !stream.hasInput, stream.outputCount == 0 {
                close()
            } else {
                lingerIfEnded()
            }
        case .responding: break
        case .lingering: if stream.outputCount == 0 { close() }
        }
    }

    func streamDrained() {
        switch phase {
        case .reading:
            if mustClose, isIdle {
                linger()
            } else if stream.hasInput || stream.hasEnded {
                resume()
            }
        case .responding: break
        case .lingering: awaitEnd()
        }
    }

    func streamFailed(_ error: SystemError) {
        close()
    }

    private func linger() {
        phase = .lingering
        outputAtLastLook = stream.outputCount
        deadline.set(after: server.configuration.idleTimeout)
        if stream.outputCount == 0 { awaitEnd() }
        stream.finishWriting()
        if stream.isOpen { stream.resumeReading() }
    }

    /// The last answer has left: what remains is to see the client's end, for a moment.
    private func awaitEnd() {
        if stream.hasEnded { close() } else { deadline.set(after: Self.lingerTime) }
    }

    /// Lets a running request end, and closes at once if there is none.
    func drain() {
        mustClose = true
        if isIdle, stream.outputCount == 0 { close() }
    }

    private func deadlinePassed() {
        guard phase != .responding else { return }
        if stream.outputCount > 0 {
            // A slow reader may go on as long as it reads at all.
            guard stream.outputCount < outputAtLastLook else { return close() }
            outputAtLastLook = stream.outputCount
            deadline.set(after: server.configuration.idleTimeout)
        } else if phase == .reading, !parser.isIdle || stream.hasInput {
            refuse(.requestTimeout)
        } else {
            close()
        }
    }

    func close() {
        deadline.clear()
        phase = .lingering
        stream.close()
        server.connectionClosed(self)
    }
}

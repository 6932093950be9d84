/// The state machine of one client's connection, without its stream, its parser, the responder and
/// the clock. Events go in, and actions come out. It decides when to parse, which response is the
/// last one, what the connection waits for, and when it ends.
///
/// The caller carries out the actions of an event, in the order of `Actions`, before the next event.
/// Only events that follow from carrying them out come in between. Bytes come in deliveries,
/// which end with `deliveryEnds`. Outside a delivery, the caller must ask for `nextActions` once it
/// has told the state of a response, a refusal, an admitted body, or the turn of a queued request, and
/// has written what there is to write.
struct ConnectionState {
    /// What the connection is doing. It can become `closed` in every phase.
    private enum Phase {
        /// Waits for a request, or for the rest of one.
        ///
        /// Then `recalling` when a request is complete, or `admitting` when a header is complete
        /// that announces a large body. `lingering` if the client errs, is too slow or has finished
        /// sending, if there is no room for its body, or if the server drains and all is sent.
        case reading(MessagePart)
        /// The responder decides whether to read a large body.
        ///
        /// Then `reading` the body, or `lingering` after the response that refuses it, or if there
        /// is no room for another body.
        case admitting(expectsContinue: Bool)
        /// The responder looks for the response in its memory.
        ///
        /// Then `reading` or `lingering` after the response. Without one, `making`, or `queued` if
        /// too many responses are already being made.
        case recalling
        /// The request waits for its turn.
        ///
        /// Then `making`, or `lingering` if its turn doesn't come in time.
        case queued
        /// The responder makes the response, which may take any time.
        ///
        /// Then `reading`, or `lingering` after the last response.
        case making
        /// The last response is written. What the client still sends is read and discarded, because
        /// closing a socket with unread bytes would make the kernel drop the response (RFC 9112
        /// section 9.6). The time, the bytes and the number of such connections are bounded.
        ///
        /// Then only `closed`.
        case lingering(discarded: Int)
        /// The stream is closed. A response that is still being made will not be written.
        case closed
    }

    /// No further request is parsed while this many bytes of output or more are pending.
    static let outputHighWater = 65_536
    /// The most pipelined requests of one client to serve in a turn, so that the loop's other
    /// clients are served too.
    static let requestsPerTurn = 64

    /// Whether the connection was opened only to be refused. It doesn't count towards the limits.
    let isRefused: Bool
    private let limits: Limits
    private var phase: Phase
    /// Whether the stream holds bytes that the parser has not consumed.
    private var holdsRest = false
    /// Whether the client has finished sending.
    private var hasEnded = false
    /// Whether the next response is the last one.
    private var isDraining = false
    /// Whether `turnContinues` will be called.
    private var awaitsTurn = false
    private var requestCount = 0
    /// How many of the requests had come when the current wait began. The others came in the
    /// current delivery.
    private var notedRequests = 0
    /// How many of the server's unsent bytes are this connection's.
    private(set) var output = 0
    /// The body that the connection awaits or holds; `nil` if there is none, or if it arrived together
    /// with the header.
    private var body: CountedBody?

    init(isRefused: Bool, limits: Limits) {
        self.isRefused = isRefused
        self.limits = limits
        phase = isRefused ? .lingering(discarded: 0) : .reading(.none)
    }

    var isOpen: Bool { if case .closed = phase { false } else { true } }

    var isReading: Bool { if case .reading = phase { true } else { false } }

    var isRecalling: Bool { if case .recalling = phase { true } else { false } }

    var isLingering: Bool { if case .lingering = phase { true } else { false } }

    /// Whether no request is being read or responded to, and every response has been sent.
    var isIdle: Bool { isBetweenRequests && output == 0 }

    private var isBetweenRequests: Bool {
        if case .reading(.none) = phase { !holdsRest } else { false }
    }

    // MARK: Deliveries

    /// - Parameter output: How many bytes of output the kernel has not taken.
    mutating func nextStep(output: Int) -> Step {
        guard isReading, output < Self.outputHighWater else { return .stop }
        guard requestCount - notedRequests >= Self.requestsPerTurn else { return .parse }
        guard !awaitsTurn else { return .stop }
        awaitsTurn = true
        return .awaitTurn
    }

    mutating func requestIsComplete() {
        requestCount += 1
        phase = .recalling
    }

    /// A header is complete, and a body follows that has not been read yet.
    mutating func headerIsComplete(announcesLargeBody: Bool, expectsContinue: Bool) -> Actions {
        // RFC 9110 section 10.1.1. The parser has already rejected a body whose announced length is
        // too great.
        guard announcesLargeBody else { return expectsContinue ? .sendContinue : [] }
        phase = .admitting(expectsContinue: expectsContinue)
        return .countBody
    }

    /// All bytes have been parsed, and they end in a body.
    func bodyIsIncomplete() -> Actions { body == nil ? .countBody : [] }

    mutating func bodyIsCounted(_ body: CountedBody) -> Actions {
        self.body = body
        return if case .admitting = phase { .askForAdmission } else { [] }
    }

    /// Everything written in the delivery has been sent, as far as the kernel takes it.
    ///
    /// - Parameters:
    ///   - part: What the parser has begun to read.
    ///   - holdsRest: Whether it has left bytes unconsumed.
    mutating func deliveryEnds(in part: MessagePart, holdsRest: Bool, output: Int) -> Actions {
        self.holdsRest = holdsRest
        switch phase {
        case .reading:
            phase = .reading(part)
            return .noteWait
        case .admitting, .recalling, .queued, .making: return .noteWait
        case .lingering: return lingering(output: output)
        case .closed: return []
        }
    }

    /// Bytes came after the last response, and are discarded.
    mutating func discards(_ count: Int) -> Actions {
        guard case .lingering(let discarded) = phase else { return [] }
        phase = .lingering(discarded: discarded + count)
        return discarded + count > limits.lingerBytes ? .close : []
    }

    // MARK: Responses

    /// The responder lets the body be read, unless the client has gone in the meantime.
    mutating func bodyIsAdmitted() -> Actions {
        guard case .admitting(let expectsContinue) = phase else { return [] }
        phase = .reading(.body)
        return expectsContinue ? .sendContinue : []
    }

    /// The request must wait for its turn.
    mutating func requestIsQueued() { phase = .queued }

    /// The responder begins to make the response, because the request needn't wait or its turn has
    /// come.
    mutating func responseBegins() { phase = .making }

    /// A response is about to be written.
    ///
    /// The stream doesn't report drained output within a delivery. There, the connection can seem to
    /// be between requests although more of them have come.
    ///
    /// - Parameter mayPersist: Whether another request may follow, as far as client, responder and
    ///   server are concerned.
    /// - Returns: Whether another request may follow; `nil` if the client is gone, and the response
    ///   must not be written.
    mutating func responds(mayPersist: Bool) -> Bool? {
        guard isOpen else { return nil }
        // A client that has finished sending may have sent further requests first, which are still
        // pending.
        let isLast = hasEnded && !holdsRest
        let persists = mayPersist && !isDraining && !isLast && requestCount < limits.requests
        phase = persists ? .reading(.none) : .lingering(discarded: 0)
        return persists
    }

    /// An error is about to be written. It is the last response.
    mutating func refuses() { phase = .lingering(discarded: 0) }

    /// - Returns: The body that no longer counts, if one did.
    mutating func releaseBody() -> CountedBody? {
        defer { body = nil }
        return body
    }

    /// What follows an event outside a delivery.
    func nextActions(output: Int) -> Actions {
        switch phase {
        case .reading where holdsRest || hasEnded: [.noteWait, .resumeReading]
        case .reading, .admitting, .recalling, .queued, .making: .noteWait
        case .lingering: lingering(output: output)
        case .closed: []
        }
    }

    /// What follows the last response.
    private func lingering(output: Int) -> Actions {
        let isOver = hasEnded && output == 0
        return [.finishWriting, .noteWait, isOver ? .close : .resumeReading]
    }

    // MARK: Waiting

    /// - Returns: How many more bytes are unsent than when this was last called.
    mutating func outputChanges(to count: Int) -> Int {
        defer { output = count }
        return count - output
    }

    /// What the connection now waits for; `nil` if the current wait continues. After a request, a wait
    /// of the same kind is a new one, with the full time limit.
    mutating func newWait(after current: Wait?) -> Wait? {
        let isAnother = requestCount != notedRequests
        notedRequests = requestCount
        let wait = wait
        return wait != current || isAnother ? wait : nil
    }

    /// What the connection waits for; `nil` if it is closed.
    var wait: Wait? {
        switch phase {
        case .closed: nil
        case _ where isRefused: .refusedEnd
        case .queued: .turn
        case .admitting, .recalling, .making: .response
        case .reading where output > 0, .lingering where output > 0: .reader
        case .lingering: .end
        case .reading(.body): .body
        case .reading(.header): .header
        case .reading(.none) where holdsRest: .header
        case .reading(.none): requestCount == 0 ? .firstRequest : .request
        }
    }

    /// What the connection waits for has not come in time.
    ///
    /// - Parameters:
    ///   - hasRead: Whether the client has read some of the output since that was last counted.
    ///   - bodyCount: How many bytes of the body have arrived.
    mutating func timePassed(hasRead: Bool, bodyCount: Int) -> Expiry {
        switch wait {
        // A slow reader may continue as long as it reads at all.
        case .reader where hasRead: .waitAgain(.reader)
        case .body where bodyArrives(bodyCount): .waitAgain(.body)
        case .header, .body: .refuse(.requestTimeout)
        case .turn: .refuse(.overloaded)
        case .firstRequest, .request, .response, .reader, .end, .refusedEnd, nil: .close
        }
    }

    /// Whether enough of the body has arrived since the last call.
    private mutating func bodyArrives(_ count: Int) -> Bool {
        guard let before = body?.arrived else { return false }
        body?.arrived = count
        return count - before >= limits.bodyBytesPerTimeout
    }

    // MARK: The stream

    /// The client has finished sending.
    mutating func clientEnds() -> Actions {
        hasEnded = true
        switch phase {
        // Requests may have been held back, and there may be room for them now.
        case .reading: return isIdle ? .close : .resumeReading
        // The client may have closed only its side, or it may be gone. A response that still has to
        // wait for a scarce resource is therefore no longer worth making.
        case .admitting, .recalling, .queued, .making: return .cancelTask
        case .lingering: return output == 0 ? .close : []
        case .closed: return []
        }
    }

    /// The kernel has taken all output.
    mutating func outputDrains() -> Actions {
        switch phase {
        case .reading where isDraining && isBetweenRequests:
            phase = .lingering(discarded: 0)
            return lingering(output: 0)
        case .reading, .admitting, .recalling, .queued, .making: return nextActions(output: 0)
        case .lingering: return hasEnded ? .close : .noteWait
        case .closed: return []
        }
    }

    /// The bytes that were held have been delivered. Lingers if the client has finished sending and
    /// has left no whole request. That is unknown while much output is pending or the next turn is
    /// awaited, because requests may then be held back.
    mutating func hasResumed(output: Int) -> Actions {
        guard hasEnded, isReading, !awaitsTurn, output < Self.outputHighWater else { return [] }
        phase = .lingering(discarded: 0)
        return lingering(output: output)
    }

    /// The next turn has begun.
    mutating func turnContinues() -> Actions {
        awaitsTurn = false
        return isReading ? .resumeReading : []
    }

    // MARK: The end

    /// The server makes the next response the last one.
    mutating func drains() { isDraining = true }

    mutating func closes() { phase = .closed }
}

import HTTPTypes

/// Parses the requests of one HTTP/1 connection from bytes as they arrive (RFC 9112).
///
/// Strict: what two readers of the same bytes could take differently is an error, not repaired
/// (RFC 9112 §11.2). Errors are raised line by line, and the outcome doesn't depend on how the
/// bytes were cut into pieces. Nothing here reads, writes or knows the time.
public struct RequestParser: Sendable {
    /// What the bytes have told.
    public enum Event: Sendable {
        /// The header is complete and a body follows. `expectsContinue` tells that the client may
        /// wait for "100 Continue" before it sends it (RFC 9110 §10.1.1).
        case head(expectsContinue: Bool)
        /// The request is complete.
        case request(Request)
    }

    private enum Phase {
        case requestLine
        case fieldLines
        case body
        case chunks
    }

    /// How many empty lines may precede a request line (RFC 9112 §2.2 asks for one at least).
    private static let maximumEmptyLines = 2

    /// A header gets as much memory as has arrived, and at first at most this.
    private static let firstHeaderCapacity = 2048

    /// A body that is announced gets at most so much memory before any of it has arrived.
    private static let firstBodyCapacity = 65536

    private let limits: ParserLimits
    private var phase = Phase.requestLine
    private var scanner = LineScanner()
    private var head = RequestHead()
    private var headerBytes = 0
    private var emptyLines = 0
    private var hasStarted = false
    private var request: Request?
    private var body: [UInt8] = []
    private var chunks = ChunkedBody()
    private var failure: RequestError?

    public init(limits: ParserLimits = .init()) {
        self.limits = limits
    }

    /// Whether the parser is between messages and has seen nothing of the next one but empty lines.
    /// It doesn't know of bytes that were not passed to it yet.
    public var isIdle: Bool { phase == .requestLine && !hasStarted && failure == nil }

    /// Whether a header is complete and its body isn't.
    public var hasHead: Bool { (phase == .body || phase == .chunks) && failure == nil }

    /// Reads on. `bytes` begins at the first byte not consumed so far.
    ///
    /// Returns how many of them were consumed, and an event if one is complete; more may be found
    /// in the rest, until a call consumes nothing and returns no event: then more bytes are
    /// needed, after those that were left. The bytes are not kept.
    ///
    /// Once it has thrown it throws the same error whenever it is called.
    public mutating func parse(
        _ bytes: UnsafeRawBufferPointer
    ) throws(RequestError) -> (consumed: Int, event: Event?) {
        if let failure { throw failure }
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return (0, nil) }
        // Invariant: the memory is only read, as bytes, during this call.
        let input = Bytes(start: base.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        do throws(RequestError) {
            return try advance(through: input)
        } catch {
            failure = error
            request = nil
            body = []
            throw error
        }
    }

    private mutating func advance(
        through input: Bytes
    ) throws(RequestError) -> (consumed: Int, event: Event?) {
        var offset = 0
        while offset < input.count {
            let rest = input.part(from: offset)
            switch phase {
            case .requestLine:
                guard let length = try readRequestLine(rest) else { return (offset, nil) }
                offset &+= length
            case .fieldLines:
                let limit = limits.headerBytes &- headerBytes
                let found = try scanner.line(in: rest, limit: limit, excess: .headerTooLarge)
                guard let length = found else { return (offset, nil) }
                offset &+= length
                guard length > 2 else { return (offset, try finishHeader()) }
                headerBytes &+= length
                try head.add(try FieldLine(rest.part(0, length &- 2)), limits: limits)
            case .body:
                return readBody(rest, at: offset)
            case .chunks:
                let (length, isComplete) = try chunks.read(rest, into: &body, limits: limits)
                return (offset + length, isComplete ? finishBody() : nil)
            }
        }
        return (offset, nil)
    }

    /// The length of the request line, or of an empty line before it, that was read.
    @inline(__always)
    private mutating func readRequestLine(_ rest: Bytes) throws(RequestError) -> Int? {
        if rest[0] == .carriageReturn { return try readEmptyLine(rest) }
        hasStarted = true
        // What the first bytes tell already, so that a client of another protocol isn't waited for.
        let methodEnd = try RequestLine.methodEnd(in: rest)
        let found = try scanner.line(
            in: rest, limit: limits.requestLineBytes, excess: .requestLineTooLong)
        guard let length = found, let methodEnd else { return nil }
        try RequestLine.parse(rest.part(0, length &- 2), methodEnd: methodEnd, into: &head)
        phase = .fieldLines
        // All of it has come, mostly.
        head.reserve(min(rest.count &- length, Self.firstHeaderCapacity))
        return length
    }

    private mutating func readEmptyLine(_ rest: Bytes) throws(RequestError) -> Int? {
        guard rest.count > 1 else { return nil }
        guard rest[1] == .lineFeed else { throw RequestError(.bareCarriageReturn) }
        emptyLines += 1
        guard emptyLines <= Self.maximumEmptyLines else { throw RequestError(.tooManyEmptyLines) }
        return 2
    }

    @inline(__always)
    private mutating func finishHeader() throws(RequestError) -> Event {
        let request = try head.finished()
        let length = head.contentLength ?? 0
        guard head.isChunked || length > 0 else {
            reset()
            return .request(request)
        }
        let event = Event.head(expectsContinue: head.expectsContinue)
        self.request = request
        body = []
        if head.isChunked {
            phase = .chunks
            chunks = ChunkedBody()
        } else {
            phase = .body
            body.reserveCapacity(min(length, Self.firstBodyCapacity))
        }
        return event
    }

    private mutating func readBody(_ rest: Bytes, at offset: Int) -> (Int, Event?) {
        let missing = (head.contentLength ?? 0) - body.count
        let taken = min(rest.count, missing)
        body.append(contentsOf: rest.part(0, taken))
        return (offset + taken, taken == missing ? finishBody() : nil)
    }

    private mutating func finishBody() -> Event? {
        // There is a request whenever the phase is one of a body.
        guard var request else { return nil }
        self.request = nil
        request.body = body
        reset()
        return .request(request)
    }

    /// Makes ready for the next message.
    @inline(__always)
    private mutating func reset() {
        phase = .requestLine
        head = RequestHead()
        headerBytes = 0
        emptyLines = 0
        hasStarted = false
        if !body.isEmpty { body = [] }
    }
}

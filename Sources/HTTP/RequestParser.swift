import Encodings
import HTTPTypes

/// Parses the requests of one HTTP/1 connection from bytes as they arrive (RFC 9112).
///
/// The parser is strict: bytes that two readers could interpret differently are an error and are
/// not repaired (RFC 9112 §11.2). Errors are thrown line by line, and the outcome doesn't depend on
/// how the bytes were cut into pieces. The parser performs no I/O and has no notion of time.
public struct RequestParser: Sendable {
    /// What the parser has found.
    public enum Event: Sendable {
        /// The header is complete and a body follows. `expectsContinue` means that the client may
        /// wait for "100 Continue" before it sends the body (RFC 9110 §10.1.1).
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

    /// How many empty lines may precede a request line (RFC 9112 §2.2 asks for at least one).
    private static let maximumEmptyLines = 2

    /// The most memory to reserve for a header at first. Less is reserved if fewer bytes have
    /// arrived.
    private static let firstHeaderCapacity = 2048

    /// The most memory to reserve for an announced body before any of it has arrived.
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
    /// It doesn't know about bytes that have not been passed to it yet.
    public var isIdle: Bool { phase == .requestLine && !hasStarted && failure == nil }

    /// Whether a header is complete but its body isn't.
    public var hasHead: Bool { (phase == .body || phase == .chunks) && failure == nil }

    /// The request whose header is complete but whose body isn't, so far without its body.
    public var pending: Request? { request }

    /// Whether the body that is being read is larger than most paths accept, or could become so.
    public var mayBeLarge: Bool {
        hasHead
            && (head.contentLength ?? limits.bodyBytes(to: head.target.path)) > limits.bodyBytes
    }

    /// How many bytes of a body have arrived that is not complete.
    public var bodyCount: Int { body.count }

    /// The target of the request that is being read, once its line has arrived. After an error, the
    /// target of the request that caused it.
    public var target: RequestTarget? { phase == .requestLine ? nil : head.target }

    /// Continues parsing. `bytes` must begin at the first byte that hasn't been consumed.
    ///
    /// Returns how many of the bytes were consumed, and an event if one is complete. The rest may
    /// hold further events, so call this until it consumes nothing and returns no event. It then
    /// needs more bytes, appended to those that are left. The bytes are not copied.
    ///
    /// Once this has thrown an error, every further call throws the same error.
    public mutating func parse(
        _ bytes: Span<UInt8>
    ) throws(RequestError) -> (consumed: Int, event: Event?) {
        if let failure { throw failure }
        do throws(RequestError) {
            return try advance(through: bytes)
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
                let (length, isComplete) = try chunks.read(
                    rest, into: &body, atMost: limits.bodyBytes(to: head.target.path),
                    limits: limits)
                return (offset + length, isComplete ? finishBody() : nil)
            }
        }
        return (offset, nil)
    }

    /// Reads the request line, or an empty line before it, and returns its length; `nil` if its end
    /// hasn't arrived.
    @inline(__always)
    private mutating func readRequestLine(_ rest: Bytes) throws(RequestError) -> Int? {
        if rest[0] == .carriageReturn { return try readEmptyLine(rest) }
        hasStarted = true
        // The method is checked as soon as it arrives, so that the server doesn't wait for more
        // from a client of another protocol.
        let methodEnd = try RequestLine.methodEnd(in: rest)
        let found = try scanner.line(
            in: rest, limit: limits.requestLineBytes, excess: .requestLineTooLong)
        guard let length = found, let methodEnd else { return nil }
        try RequestLine.parse(rest.part(0, length &- 2), methodEnd: methodEnd, into: &head)
        phase = .fieldLines
        // Usually the whole header has already arrived.
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
        body.append(copying: rest.part(0, taken))
        return (offset + taken, taken == missing ? finishBody() : nil)
    }

    private mutating func finishBody() -> Event? {
        // There is a request whenever the phase is `body` or `chunks`.
        guard var request else { return nil }
        self.request = nil
        request.body = body
        reset()
        return .request(request)
    }

    /// Prepares for the next message.
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

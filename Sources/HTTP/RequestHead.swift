import Encodings
import HTTPTypes

/// The parts of a request that are known while its header arrives. The fields that decide on
/// framing, routing and persistence are interpreted as they are added.
struct RequestHead {
    var method = HTTPRequest.Method.get
    var target = RequestTarget(form: .origin, path: "/")
    var minorVersion = 1

    private var lines = FieldLines()
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private(set) var expectsContinue = false
    private var lineCount = 0
    private var host: String?
    private var wantsClose = false
    private var wantsKeepAlive = false

    /// Adds one field line. Host is stored only as the host, not as a field.
    @inline(__always)
    mutating func add(_ line: FieldLine, limits: ParserLimits) throws(RequestError) {
        guard lineCount < limits.headerCount else { throw RequestError(.tooManyFields) }
        lineCount &+= 1
        switch FieldRole(of: line.name) {
        case .none: break
        case .host: return try takeHost(line.value)
        case .contentLength:
            try takeContentLength(line.value, limit: limits.bodyBytes(to: target.path))
        case .transferEncoding: try takeTransferEncoding(line.value)
        case .connection: takeConnection(line.value)
        case .expect: try takeExpect(line.value)
        }
        lines.append(line)
    }

    /// Reserves memory for a header of this many bytes.
    mutating func reserve(_ count: Int) { lines.reserve(count) }

    /// Makes the checks that need the whole header, and returns the request, so far without its
    /// body.
    func finished() throws(RequestError) -> Request {
        // RFC 9112 §3.2: Host is required even with an absolute-form target, which then takes
        // precedence.
        if host == nil, minorVersion > 0 { throw RequestError(.missingHost) }
        return Request(
            method: method, target: target, authority: target.authority ?? host ?? "",
            received: ReceivedFields(lines), minorVersion: minorVersion,
            isPersistent: !wantsClose && (minorVersion > 0 || wantsKeepAlive))
    }

    /// RFC 9112 §3.2.
    @inline(__always)
    private mutating func takeHost(_ value: Bytes) throws(RequestError) {
        guard host == nil else { throw RequestError(.repeatedHost) }
        guard Authority.isValid(value) else { throw RequestError(.invalidHost) }
        host = value.repairedText
    }

    /// RFC 9112 §6.3: an ambiguous length is an error, since a proxy in front of us may have read
    /// it differently.
    private mutating func takeContentLength(_ value: Bytes, limit: Int) throws(RequestError) {
        guard !isChunked else { throw RequestError(.contentLengthWithTransferEncoding) }
        guard contentLength == nil else { throw RequestError(.repeatedContentLength) }
        guard !value.isEmpty, value.allSatisfy(\.isASCIIDigit) else {
            throw RequestError(.invalidContentLength)
        }
        var length = 0
        for index in value.indices {
            length = length * 10 + Int(value[index] & 0x0F)
            // Checked here, not after the loop, so that no number of digits can overflow.
            guard length <= limit else { throw RequestError(.bodyTooLarge) }
        }
        contentLength = length
    }

    /// RFC 9112 §6.1. Several fields form one list. Only `chunked` is supported, once and alone.
    private mutating func takeTransferEncoding(_ value: Bytes) throws(RequestError) {
        guard minorVersion > 0 else { throw RequestError(.transferEncodingBeforeHTTP11) }
        guard contentLength == nil else {
            throw RequestError(.contentLengthWithTransferEncoding)
        }
        var start = 0
        while true {
            let end = value.position(of: .comma, from: start, before: value.count) ?? value.count
            try takeTransferCoding(value.part(start, end).trimmed)
            guard end < value.count else { return }
            start = end + 1
        }
    }

    private mutating func takeTransferCoding(_ element: Bytes) throws(RequestError) {
        var nameEnd = 0
        while nameEnd < element.count, ByteSet.token.contains(element[nameEnd]) { nameEnd += 1 }
        let isAlone = nameEnd == element.count
        let hasParameters = !isAlone && element.part(from: nameEnd).trimmed.first == .semicolon
        guard nameEnd > 0, isAlone || hasParameters else {
            throw RequestError(.invalidTransferEncoding)
        }
        guard element.part(0, nameEnd).isToken("chunked") else {
            throw RequestError(isChunked ? .chunkedNotLast : .unsupportedTransferCoding)
        }
        // RFC 9112 §7.1: chunked has no parameters.
        guard isAlone else { throw RequestError(.invalidTransferEncoding) }
        guard !isChunked else { throw RequestError(.repeatedChunked) }
        isChunked = true
    }

    /// RFC 9112 §9.3. Unknown options are ignored.
    private mutating func takeConnection(_ value: Bytes) {
        var start = 0
        while start <= value.count {
            let end = value.position(of: .comma, from: start, before: value.count) ?? value.count
            let option = value.part(start, end).trimmed
            if option.isToken("close") { wantsClose = true }
            if option.isToken("keep-alive") { wantsKeepAlive = true }
            start = end + 1
        }
    }

    /// RFC 9110 §10.1.1: Expect is ignored in HTTP/1.0, whose clients don't know "100 Continue" and
    /// so can't wait for it.
    private mutating func takeExpect(_ value: Bytes) throws(RequestError) {
        guard minorVersion > 0 else { return }
        guard value.isToken("100-continue") else { throw RequestError(.unknownExpectation) }
        expectsContinue = true
    }
}

import Encodings
import HTTPTypes

/// The request line: `method SP request-target SP HTTP-version` (RFC 9112 §3).
enum RequestLine {
    /// No method registered with IANA has more than 17 characters.
    static let maximumMethodBytes = 32

    /// Where the method at the start of the input ends, or `nil` when its end hasn't arrived yet.
    ///
    /// Throws at the first byte that can neither be part of a method nor follow one. The error's
    /// code doesn't depend on how many bytes follow.
    @inline(__always)
    static func methodEnd(in input: Bytes) throws(RequestError) -> Int? {
        let end = min(input.count, maximumMethodBytes &+ 1)
        var index = 0
        let token = ByteSet.token
        while index < end, token.contains(input[index]) { index &+= 1 }
        guard index <= maximumMethodBytes else { throw RequestError(.methodTooLong) }
        guard index < end else { return nil }
        switch input[index] {
        case .space where index > 0: return index
        case .lineFeed: throw RequestError(.bareLineFeed)
        case .carriageReturn: throw RequestError(.malformedRequestLine)
        default: throw RequestError(.invalidMethod)
        }
    }

    /// Parses a line, passed without its CRLF, whose method is already known to be a token.
    @inline(__always)
    static func parse(
        _ line: Bytes, methodEnd: Int, into head: inout RequestHead
    ) throws(RequestError) {
        let targetStart = methodEnd &+ 1
        let found = line.position(of: .space, from: targetStart, before: line.count)
        guard let targetEnd = found, targetEnd > targetStart else {
            throw wordError(line, targetStart: targetStart)
        }
        head.minorVersion = try minorVersion(line.part(from: targetEnd &+ 1))
        head.method = try method(line.part(0, methodEnd))
        let target = line.part(targetStart, targetEnd)
        do throws(RequestError) {
            head.target = try RequestTarget(parsing: target, method: head.method)
        } catch {
            throw target.contains(.carriageReturn) ? RequestError(.bareCarriageReturn) : error
        }
    }

    /// The error for a line without a third word. HTTP/0.9 had no third word, but RFC 9112 §2.3 no
    /// longer includes that version.
    @inline(never)
    private static func wordError(_ line: Bytes, targetStart: Int) -> RequestError {
        if line.contains(.carriageReturn) { return RequestError(.bareCarriageReturn) }
        let hasTarget = targetStart < line.count && line[targetStart] != .space
        return RequestError(hasTarget ? .missingVersion : .malformedRequestLine)
    }

    /// The minor version (RFC 9112 §2.3). The name "HTTP" is case-sensitive. Every HTTP/1 version
    /// above 1.1 is treated as 1.1 (RFC 9110 §2.5).
    @inline(__always)
    private static func minorVersion(_ bytes: Bytes) throws(RequestError) -> Int {
        guard bytes.count == 8 else { throw versionError(bytes) }
        let word = bytes.word(at: 0)
        if word == UInt64(littleEndian: 0x312E_312F_5054_5448) { return 1 }  // "HTTP/1.1"
        if word == UInt64(littleEndian: 0x302E_312F_5054_5448) { return 0 }  // "HTTP/1.0"
        let isVersion =
            bytes.starts(with: "HTTP/") && bytes[5].isASCIIDigit
            && bytes[6] == .dot
            && bytes[7].isASCIIDigit
        guard isVersion else { throw versionError(bytes) }
        guard bytes[5] == UInt8(ascii: "1") else { throw RequestError(.unsupportedVersion) }
        return 1
    }

    @inline(never)
    private static func versionError(_ bytes: Bytes) -> RequestError {
        if bytes.contains(.carriageReturn) { return RequestError(.bareCarriageReturn) }
        // A second space means a fourth word, so the line as a whole is malformed.
        return RequestError(bytes.contains(.space) ? .malformedRequestLine : .malformedVersion)
    }

    /// The method, as a ready-made value if it is a common one. Methods are case-sensitive.
    @inline(__always)
    private static func method(_ bytes: Bytes) throws(RequestError) -> HTTPRequest.Method {
        switch bytes.count {
        case 3:
            if isMethod(bytes, "GET") { return .get }
            if isMethod(bytes, "PUT") { return .put }
        case 4:
            if isMethod(bytes, "POST") { return .post }
            if isMethod(bytes, "HEAD") { return .head }
        case 5:
            if isMethod(bytes, "PATCH") { return .patch }
        case 6:
            if isMethod(bytes, "DELETE") { return .delete }
        case 7:
            if isMethod(bytes, "OPTIONS") { return .options }
            // RFC 9110 §9.3.6: only proxies have a use for CONNECT.
            if isMethod(bytes, "CONNECT") { throw RequestError(.methodNotSupported) }
        default: break
        }
        guard let method = HTTPRequest.Method(bytes.repairedText) else {
            throw RequestError(.invalidMethod)
        }
        return method
    }

    @inline(__always)
    private static func isMethod(_ bytes: Bytes, _ literal: StaticString) -> Bool {
        bytes.isEqual(to: literal.span)
    }
}

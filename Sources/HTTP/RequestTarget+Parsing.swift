import Encodings
import HTTPTypes

extension RequestTarget {
    /// Parses a target, whose form follows from its first byte and the method (RFC 9112 §3.2).
    init(parsing bytes: Bytes, method: HTTPRequest.Method) throws(RequestError) {
        guard let first = bytes.first else { throw RequestError(.malformedRequestLine) }
        if method == .connect {
            self = try Self.authorityForm(bytes)
        } else if first == .slash {
            self = try Self.pathAndQuery(bytes, form: .origin, authority: nil)
        } else if first == .asterisk, bytes.count == 1 {
            guard method == .options else { throw RequestError(.asteriskWithoutOptions) }
            self.init(form: .asterisk, path: "*")
        } else {
            self = try Self.absoluteForm(bytes)
        }
    }

    private static func authorityForm(_ bytes: Bytes) throws(RequestError) -> RequestTarget {
        guard Authority.isValid(bytes, needsPort: true) else { throw RequestError(.invalidTarget) }
        let authority = bytes.repairedText
        return RequestTarget(form: .authority, path: "", authority: authority)
    }

    private static func absoluteForm(_ bytes: Bytes) throws(RequestError) -> RequestTarget {
        guard let colon = bytes.position(of: .colon, from: 0, before: bytes.count),
            colon + 2 < bytes.count, bytes[colon + 1] == .slash, bytes[colon + 2] == .slash
        else { throw RequestError(Self.misfit(bytes)) }
        let scheme = bytes.part(0, colon)
        guard scheme.allSatisfy(ByteSet.token.contains) else {
            throw RequestError(Self.misfit(bytes))
        }
        // RFC 3986 §3.1: the scheme's case doesn't matter.
        guard scheme.isToken("http") || scheme.isToken("https") else {
            throw RequestError(.unsupportedScheme)
        }
        let start = colon + 3
        var end = start
        while end < bytes.count, !Self.endsAuthority(bytes[end]) { end += 1 }
        let authority = bytes.part(start, end)
        if authority.contains(UInt8(ascii: "@")) { throw RequestError(.userInformationInTarget) }
        guard Authority.isValid(authority) else { throw RequestError(.invalidAuthority) }
        return try pathAndQuery(
            bytes.part(from: end), form: .absolute,
            authority: authority.repairedText)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == .slash || byte == .questionMark || byte == UInt8(ascii: "#")
    }

    /// The error for a target in none of the four forms. If the target contains a character that is
    /// never allowed, that is the better explanation.
    private static func misfit(_ bytes: Bytes) -> RequestError.Code {
        for index in bytes.indices where !ByteSet.query.contains(bytes[index]) {
            return bytes[index] == UInt8(ascii: "#") ? .fragmentInTarget : .invalidTargetCharacter
        }
        return .invalidTarget
    }

    private static func pathAndQuery(
        _ bytes: Bytes, form: Form, authority: String?
    ) throws(RequestError) -> RequestTarget {
        var pathEnd = 0
        let allowed = ByteSet.path
        while pathEnd < bytes.count, allowed.contains(bytes[pathEnd]) { pathEnd += 1 }
        var query: String?
        if pathEnd < bytes.count {
            guard bytes[pathEnd] == .questionMark else {
                throw Self.badCharacter(bytes[pathEnd])
            }
            let rest = bytes.part(from: pathEnd + 1)
            let allowed = ByteSet.query
            for index in rest.indices where !allowed.contains(rest[index]) {
                throw Self.badCharacter(rest[index])
            }
            query = rest.repairedText
        }
        // RFC 9110 §4.2.3: an empty path means "/".
        guard pathEnd > 0 else {
            return RequestTarget(form: form, path: "/", query: query, authority: authority)
        }
        let path = bytes.part(0, pathEnd)
        return RequestTarget(
            form: form, path: path.repairedText,
            segments: try segments(of: path), query: query, authority: authority)
    }

    private static func badCharacter(_ byte: UInt8) -> RequestError {
        RequestError(byte == UInt8(ascii: "#") ? .fragmentInTarget : .invalidTargetCharacter)
    }

    /// Splits a path, which begins with a slash, into segments before decoding them, because an
    /// escaped slash is not a separator (RFC 3986 §2.2).
    private static func segments(of path: Bytes) throws(RequestError) -> [String] {
        guard path.count > 1 else { return [] }
        var segments: [String] = []
        segments.reserveCapacity(4)
        var start = 1
        while true {
            let end = path.position(of: .slash, from: start, before: path.count) ?? path.count
            segments.append(try PercentCoding.decodeSegment(path.part(start, end)))
            guard end < path.count else { return segments }
            start = end + 1
        }
    }
}

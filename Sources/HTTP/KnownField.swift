import HTTPTypes

/// A field name that is recognised by its bytes, so that none has to be built for it.
struct KnownField {
    /// What the parser itself makes of a field.
    enum Role {
        case none, host, contentLength, transferEncoding, connection, expect
    }

    /// `nil` for Host, which is no field of a request here but its authority.
    let name: HTTPField.Name?
    let role: Role

    @inline(__always)
    init(_ name: HTTPField.Name?, _ role: Role = .none) {
        self.name = name
        self.role = role
    }

    /// Looks up a name, already known to be a token. The length decides first: few names share one.
    @inline(__always)
    static func named(_ bytes: Bytes) -> KnownField? {
        switch bytes.count {
        case 2:
            if bytes.isToken("te") { return KnownField(.te) }
        case 4:
            if bytes.isToken("host") { return KnownField(nil, .host) }
            if bytes.isToken("date") { return KnownField(.date) }
        case 6:
            if bytes.isToken("accept") { return KnownField(.accept) }
            if bytes.isToken("cookie") { return KnownField(.cookie) }
            if bytes.isToken("origin") { return KnownField(.origin) }
            if bytes.isToken("expect") { return KnownField(.expect, .expect) }
        case 7:
            if bytes.isToken("referer") { return KnownField(.referer) }
            if bytes.isToken("upgrade") { return KnownField(.upgrade) }
        case 8:
            if bytes.isToken("if-match") { return KnownField(.ifMatch) }
            if bytes.isToken("priority") { return KnownField(.priority) }
        case 10:
            if bytes.isToken("connection") { return KnownField(.connection, .connection) }
            if bytes.isToken("user-agent") { return KnownField(.userAgent) }
        case 12:
            if bytes.isToken("content-type") { return KnownField(.contentType) }
        case 13:
            if bytes.isToken("authorization") { return KnownField(.authorization) }
            if bytes.isToken("if-none-match") { return KnownField(.ifNoneMatch) }
            if bytes.isToken("cache-control") { return KnownField(.cacheControl) }
        case 14:
            if bytes.isToken("content-length") { return KnownField(.contentLength, .contentLength) }
        case 15:
            if bytes.isToken("accept-encoding") { return KnownField(.acceptEncoding) }
            if bytes.isToken("accept-language") { return KnownField(.acceptLanguage) }
        case 17:
            if bytes.isToken("transfer-encoding") {
                return KnownField(.transferEncoding, .transferEncoding)
            }
            if bytes.isToken("if-modified-since") { return KnownField(.ifModifiedSince) }
        case 19:
            if bytes.isToken("if-unmodified-since") { return KnownField(.ifUnmodifiedSince) }
        default:
            break
        }
        return nil
    }
}

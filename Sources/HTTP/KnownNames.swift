import Encodings
import HTTPTypes

/// The parser's own use of a field. The length is compared first, because few names have the same
/// length.
enum FieldRole {
    case none, host, contentLength, transferEncoding, connection, expect

    /// - Parameter name: Already known to be a token.
    @inline(__always)
    init(of name: Bytes) {
        switch name.count {
        case 4 where name.isToken("host"): self = .host
        case 6 where name.isToken("expect"): self = .expect
        case 10 where name.isToken("connection"): self = .connection
        case 14 where name.isToken("content-length"): self = .contentLength
        case 17 where name.isToken("transfer-encoding"): self = .transferEncoding
        default: self = .none
        }
    }
}

/// The names of fields that browsers and proxies actually send, so that these names needn't be
/// built for each request.
enum KnownNames {
    /// - Parameter bytes: Already known to be a token.
    static func name(_ bytes: Bytes) -> HTTPField.Name? {
        guard bytes.count < byLength.count else { return nil }
        for name in byLength[bytes.count] where bytes.isName(name) { return name }
        return nil
    }

    private static let byLength: [[HTTPField.Name]] = {
        var names: [[HTTPField.Name]] = []
        for name in known + others.compactMap({ HTTPField.Name($0) }) {
            let length = name.canonicalName.utf8.count
            while names.count <= length { names.append([]) }
            names[length].append(name)
        }
        return names
    }()

    private static let known: [HTTPField.Name] = [
        .accept, .acceptEncoding, .acceptLanguage, .accessControlRequestHeaders,
        .accessControlRequestMethod, .authorization, .cacheControl, .connection, .contentLength,
        .contentType, .cookie, .date, .expect, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange,
        .ifUnmodifiedSince, .origin, .priority, .range, .referer, .secPurpose, .te,
        .transferEncoding, .upgrade, .userAgent, .via,
    ]

    private static let others = [
        "CDN-Loop", "DNT", "Forwarded", "Idempotency-Key", "Keep-Alive", "Pragma", "Sec-CH-UA",
        "Sec-CH-UA-Mobile", "Sec-CH-UA-Platform", "Sec-Fetch-Dest", "Sec-Fetch-Mode",
        "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-GPC", "Upgrade-Insecure-Requests",
        "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto",
        "X-Forwarded-Server", "X-Real-IP", "X-Request-ID", "X-Requested-With",
    ]
}

extension Span<UInt8> {
    /// Whether the bytes are this name, ignoring case. Correct only for bytes already known to be a
    /// token.
    func isName(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        let canonical = name.utf8Span.span
        guard canonical.count == count else { return false }
        for offset in 0..<count where self[offset].lowercased != canonical[offset] { return false }
        return true
    }
}

package import HTTP
import HTTPTypes

// Compressing responses with gzip. Only `conditional` and `compressed` do. What must not be stored is
// never compressed: its length could reveal secrets beside text that a stranger chose (BREACH).
extension Response {
    /// A smaller body fits into one packet uncompressed.
    private static let smallestCoded = 1024

    /// Whether the response may be compressed, for clients that accept that.
    package var isCodable: Bool {
        guard body.count >= Self.smallestCoded,
            !forbidsStoring, !headerFields.contains(.contentEncoding),
            let type = headerFields.value(of: .contentType).flatMap({ MediaType(parsing: $0) })
        else { return false }
        return type.isText
    }

    /// Whether caches must not store the response.
    private var forbidsStoring: Bool {
        switch headerFields.value(of: .cacheControl) {
        case nil, "no-cache": false
        case let directives?: directives.commaSeparated.contains("no-store")
        }
    }

    /// The response in gzip.
    ///
    /// - Parameter coded: The body in gzip.
    /// - Returns: `nil` if the body could not be compressed.
    package func gzipped(_ coded: [UInt8]?) -> Response? {
        guard let coded else { return nil }
        var response = self
        response.body = coded
        response.headerFields[.contentEncoding] = "gzip"
        return response
    }
}

extension Gzip {
    /// For responses that are compressed each time. Level 1 takes half the time of level 6, and its
    /// output is a twelfth larger.
    package static var ofResponses: Gzip { Gzip(level: 1) }
}

extension EntityTag {
    /// The tag of the same content in gzip: other bytes need another tag, RFC 9110 section 8.8.3.3.
    package var ofGzip: EntityTag { EntityTag(opaque: opaque + "-gzip", isWeak: isWeak) ?? self }
}

extension MediaType {
    /// Whether the type is text, which compresses well.
    fileprivate var isText: Bool {
        type == "text" || subtype == "json" || subtype == "xml" || subtype == "javascript"
            || subtype.hasSuffix("+json") || subtype.hasSuffix("+xml")
    }
}

extension Request {
    /// The request as if the client accepted no content coding, for responses that contain secrets.
    package var withoutCoding: Request {
        guard headerFields[.acceptEncoding] != nil else { return self }
        var request = self
        request.headerFields[.acceptEncoding] = nil
        return request
    }
}

import HTTP
import HTTPTypes

/// What pages of other sites may request from addresses for programs: the Fetch standard, section
/// 3.3.
///
/// Anyone's browser may read. The API accepts tokens and no cookies, but some writes need no token: a
/// page could sign in and write from the addresses of its visitors. So only the site's own pages
/// may write, and those of origins that the operator names.
package struct CORS: Sendable {
    private let writers: AllowedOrigins
    private let publicURL: String

    package init(writers: AllowedOrigins, publicURL: String) {
        self.writers = writers
        self.publicURL = publicURL
    }

    /// Refuses a write from a page of an origin that may not write. Browsers ask first only for some
    /// requests, and send the others.
    ///
    /// - Throws: 403.
    package func check(_ request: Request, _ kind: AddressKind) throws(Problem) {
        guard kind.isForOtherOrigins, !request.method.isRead, request.method != .options,
            let origin = request.headerFields[.origin], !writers.contains(origin),
            !request.isFromOwnPage(publicURL: publicURL)
        else { return }
        throw Problem(
            .forbidden,
            "Pages of this origin may not write. The operator can allow it with CORS_ORIGINS.")
    }

    private static let readFields = "If-None-Match, X-Request-ID"
    private static let writeFields =
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, "
        + "X-Request-ID"
    private static let exposedFields =
        "Content-Disposition, ETag, Idempotency-Replayed, Link, Location, Retry-After, RateLimit, "
        + "RateLimit-Policy, WWW-Authenticate, X-Request-ID"
    /// In seconds. Browsers cache a preflight's response for at most two hours or a day.
    private static let maximumAge = "7200"

    /// Responds to a preflight: a browser's question whether it may send a page's request.
    ///
    /// - Parameter methods: The methods that the address accepts.
    /// - Returns: `nil` if the request is not a preflight, or the address is not for other sites.
    package func preflight(
        _ request: Request, _ kind: AddressKind, methods: [HTTPRequest.Method]
    ) -> Response? {
        guard kind.isForOtherOrigins, request.method == .options,
            let origin = request.headerFields[.origin],
            request.headerFields[.accessControlRequestMethod] != nil
        else { return nil }
        let list = methods.map(\.rawValue).joined(separator: ", ")
        var response = Response(status: .noContent, headerFields: [.allow: list])
        let mayWrite = writers.contains(origin)
        let allowed = methods.filter {
            $0 != .options && (mayWrite || $0.isRead)
        }
        varyByOrigin(&response)
        guard !allowed.isEmpty else { return response }
        // The response covers both kinds of request, reads and writes.
        response.headerFields[.accessControlAllowOrigin] =
            mayWrite ? writers.allowedOrigin(for: origin) : "*"
        response.headerFields[.accessControlAllowMethods] =
            allowed.map(\.rawValue).joined(separator: ", ")
        response.headerFields[.accessControlAllowHeaders] =
            mayWrite ? Self.writeFields : Self.readFields
        response.headerFields[.accessControlMaxAge] = Self.maximumAge
        return response
    }

    /// Lets pages of other sites see a response, even an error.
    package func add(to response: inout Response, _ request: Request, _ kind: AddressKind) {
        guard kind.isForOtherOrigins,
            response.headerFields[.accessControlAllowOrigin] == nil
        else { return }
        if request.method.isRead {
            response.headerFields[.accessControlAllowOrigin] = "*"
        } else if request.method == .options {
            return
        } else {
            varyByOrigin(&response)
            let origin = request.headerFields[.origin] ?? ""
            guard writers.contains(origin) else { return }
            response.headerFields[.accessControlAllowOrigin] = writers.allowedOrigin(for: origin)
        }
        response.headerFields[.accessControlExposeHeaders] = Self.exposedFields
    }

    /// Lets pages of other sites see why a request could not be read. The fields are the same for
    /// all origins.
    package func addToRefusal(_ response: inout Response) {
        response.headerFields[.accessControlAllowOrigin] = "*"
        response.headerFields[.accessControlExposeHeaders] = Self.exposedFields
    }

    private func varyByOrigin(_ response: inout Response) {
        if writers.anyOrigin == nil { response.headerFields.vary(by: "Origin") }
    }
}

/// The origins whose pages may write.
public enum AllowedOrigins: Sendable, Hashable {
    case any
    case these(Set<String>)

    /// Reads `*`, `none`, or origins separated by commas.
    ///
    /// - Returns: `nil` if one of them is not an origin as browsers write it.
    public init?(_ text: String) {
        switch text.commaSeparated {
        case ["*"]: self = .any
        case ["none"]: self = .these([])
        case let origins:
            guard !origins.isEmpty, origins.allSatisfy(Self.isOrigin) else { return nil }
            self = .these(Set(origins))
        }
    }

    /// RFC 6454 section 6.2: in lower case, without the scheme's own port or a trailing slash.
    private static func isOrigin(_ text: String) -> Bool { WebOrigin(text)?.description == text }

    package func contains(_ origin: String) -> Bool {
        switch self {
        case .any: true
        case .these(let origins): origins.contains(origin)
        }
    }

    /// `*` if any origin may write.
    var anyOrigin: String? { self == .any ? "*" : nil }

    func allowedOrigin(for origin: String) -> String { anyOrigin ?? origin }
}

extension HTTPFields {
    /// Adds a field's name to Vary, RFC 9110 section 12.5.5.
    package mutating func vary(by name: String) {
        guard let names = self[.vary] else { return self[.vary] = name }
        // All names in Vary were added here, with the same capitals.
        if !names.commaSeparated.contains(name) { self[.vary] = "\(names), \(name)" }
    }
}

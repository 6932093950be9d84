package import HTTP
package import HTTPTypes
import Languages

/// What pages of other sites may request from addresses for programs: the Fetch standard, section
/// 3.3.
///
/// Pages of all sites may read, and send what `Route.isForEveryOrigin` says: the API accepts tokens and no
/// cookies, so a page can act only for someone who gave it a token. Other writes need no token: a page could
/// sign up or report from the addresses of its visitors. So only the site's own pages may send these, and
/// those of origins that the operator names.
package struct CORS: Sendable {
    private let writers: AllowedOrigins
    private let publicURL: String

    package init(writers: AllowedOrigins, publicURL: String) {
        self.writers = writers
        self.publicURL = publicURL
    }

    /// Refuses what a page of this origin may not send. Browsers ask first only for some requests, and
    /// send the others.
    ///
    /// - Parameter isForEveryOrigin: What the request's route says.
    /// - Throws: 403.
    package func check(
        _ request: Request, _ kind: AddressKind, isForEveryOrigin: Bool
    ) throws(Problem) {
        guard kind.isForOtherOrigins, !isForEveryOrigin,
            let origin = request.headerFields[.origin], !writers.contains(origin),
            !request.isFromOwnPage(publicURL: publicURL)
        else { return }
        throw Problem(
            .originNotAllowed,
            .english(
                "Pages of this origin may not send this. The operator can allow it with CORS_ORIGINS."
            ))
    }

    private static let requestFields =
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, "
        + "X-Request-ID"
    private static let exposedFields =
        "Content-Disposition, ETag, Idempotency-Replayed, Link, Location, Retry-After, RateLimit, "
        + "RateLimit-Policy, WWW-Authenticate, X-Request-ID"
    /// In seconds. Browsers cache a preflight's response for at most two hours or a day.
    private static let maximumAge = "7200"

    /// Responds to a preflight: a browser's question whether it may send a page's request.
    ///
    /// - Parameters:
    ///   - methods: The methods that the address accepts.
    ///   - closed: Those of them that are not for every origin.
    /// - Returns: `nil` if the request is not a preflight, or the address is not for other sites.
    package func preflight(
        _ request: Request, _ kind: AddressKind, methods: [HTTPRequest.Method],
        closed: [HTTPRequest.Method]
    ) -> Response? {
        guard kind.isForOtherOrigins, request.method == .options,
            let origin = request.headerFields[.origin],
            let asked = request.headerFields[.accessControlRequestMethod]
        else { return nil }
        let list = methods.map(\.rawValue).joined(separator: ", ")
        var response = Response(status: .noContent, headerFields: [.allow: list])
        if !closed.isEmpty, writers != .any { response.headerFields.vary(by: "Origin") }
        let refused = writers.contains(origin) ? [] : closed
        guard !refused.contains(where: { $0.rawValue == asked }) else { return response }
        let allowed = methods.filter { $0 != .options && !refused.contains($0) }
        response.headerFields[.accessControlAllowOrigin] = "*"
        response.headerFields[.accessControlAllowMethods] =
            allowed.map(\.rawValue).joined(separator: ", ")
        response.headerFields[.accessControlAllowHeaders] = Self.requestFields
        response.headerFields[.accessControlMaxAge] = Self.maximumAge
        return response
    }

    /// Lets pages of other sites see a response, even an error or a refusal by `check`.
    ///
    /// - Parameter method: The request's; `nil` if the request could not be read.
    package func add(
        to response: inout Response, _ method: HTTPRequest.Method?, _ kind: AddressKind
    ) {
        guard kind.isForOtherOrigins, method != .options else { return }
        response.headerFields[.accessControlAllowOrigin] = "*"
        response.headerFields[.accessControlExposeHeaders] = Self.exposedFields
    }
}

/// The origins whose pages may send what is not for every origin.
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
}

extension HTTPFields {
    /// Adds a field's name to Vary, RFC 9110 section 12.5.5.
    package mutating func vary(by name: String) {
        guard let names = value(of: .vary) else { return self[.vary] = name }
        // All names in Vary were added here, with the same capitals.
        if !names.commaSeparated.contains(name) { self[.vary] = "\(names), \(name)" }
    }
}

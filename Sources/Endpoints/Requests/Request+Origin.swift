import HTTP
import HTTPTypes

extension Request {
    /// Whether a page of the site sent the request, as far as the browser's fields tell. No page can set
    /// these fields.
    ///
    /// The host that a request is for proves nothing: it is whatever name leads to this server (DNS
    /// rebinding).
    ///
    /// - Parameter publicURL: The site's origin, as browsers write it.
    package func isFromOwnPage(publicURL: String) -> Bool {
        switch headerFields[.secFetchSite] {
        // The browser has compared the origins itself. Its Origin may be "null": the page's referrer
        // policy decides about that, and proxies set one.
        case "same-origin": return true
        case nil, "none": break
        default: return false
        }
        // Older browsers omit Origin. Referer then has the page's address.
        guard let origin = headerFields[.origin] ?? headerFields[.referer].map(Self.origin) else {
            return false
        }
        // Whoever runs a program on this machine is at "localhost", not at the public address.
        return origin == publicURL || WebOrigin(origin)?.isLoopback == true
    }

    /// The scheme and the authority of an address.
    private static func origin(_ address: String) -> String {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }
}

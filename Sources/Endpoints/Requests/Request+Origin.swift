import HTTP
import HTTPTypes

extension Request {
    /// Whether an origin is the site's own: that of the address that the operator has set, or the one
    /// that the browser sent the request to. Someone who opens the site as "localhost" is not at the
    /// public address.
    package func isOwn(_ origin: String, publicURL: String) -> Bool {
        origin == Self.origin(publicURL)
            || ["https://", "http://"].contains { origin == $0 + authority }
    }

    /// The scheme and the authority of an address.
    package static func origin(_ address: String) -> String {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }
}

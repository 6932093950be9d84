import HTTP
import HTTPTypes

/// How long responses of the API may be cached, and by whom: RFC 9111.
package struct APICaching: Sendable {
    /// Shared caches may respond by themselves for a moment, so that something everyone looks at
    /// is read once. Clients ask each time, and mostly get a 304. So users who have changed it see
    /// the change, which `stale-while-revalidate` would hide.
    private let reads: String

    /// - Parameter seconds: How long shared caches may serve public reads by themselves.
    package init(lifetime seconds: Int) {
        reads = seconds > 0 ? "public, max-age=0, s-maxage=\(seconds)" : "no-cache"
    }

    package func apply(
        to response: inout Response, _ request: Request, _ kind: AddressKind
    ) {
        guard kind.isAPI else { return }
        let isRead = request.method.isRead
        if isRead { response.headerFields.vary(by: "Authorization") }
        // A response that already says that it must not be stored keeps saying so.
        guard response.headerFields[.cacheControl] == "no-cache" else { return }
        if request.headerFields.contains(.authorization) {
            response.headerFields[.cacheControl] = "private, no-store"
        } else if isRead {
            response.headerFields[.cacheControl] = reads
        }
    }
}

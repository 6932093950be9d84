package import HTTP
import HTTPTypes

/// Says which caches may store the API's responses, and for how long (RFC 9111).
package struct APICaching: Sendable {
    /// Shared caches may respond for a moment without asking, so that a popular resource is read
    /// once. Clients ask each time, and mostly get a 304. So users see their own change, which
    /// `stale-while-revalidate` would hide.
    private let reads: String

    /// - Parameter seconds: How long shared caches may serve public reads without asking.
    package init(lifetime seconds: Int) {
        reads = seconds > 0 ? "public, max-age=0, s-maxage=\(seconds)" : "no-cache"
    }

    package func apply(
        to response: inout Response, _ request: Request, _ kind: AddressKind
    ) {
        guard kind.isAPI else { return }
        let isRead = request.method.isRead
        if isRead { response.headerFields.vary(by: "Authorization") }
        // The handler may have set a stricter value already, such as `no-store`.
        guard response.headerFields.value(of: .cacheControl) == "no-cache" else { return }
        if request.contains(.authorization) {
            response.headerFields[.cacheControl] = "private, no-store"
        } else if isRead {
            response.headerFields[.cacheControl] = reads
        }
    }
}

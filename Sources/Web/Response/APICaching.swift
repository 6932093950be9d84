import HTTP
import HTTPTypes

/// How long answers of the API may be kept, and by whom: RFC 9111.
struct APICaching: Sendable {
    /// Shared caches answer for a moment by themselves, so that a list everybody looks at is read
    /// once. Clients ask each time, and mostly get a 304: a user who has changed a list sees
    /// the change, which `stale-while-revalidate` would hide.
    private let reads: String

    init(_ settings: WebSettings) {
        let seconds = settings.cacheLifetime
        reads = seconds > 0 ? "public, max-age=0, s-maxage=\(seconds)" : "no-cache"
    }

    func apply(to response: inout Response, _ exchange: Exchange) {
        guard exchange.kind.isLimited else { return }
        let request = exchange.request
        let isRead = request.method.isRead
        if isRead { response.headerFields.vary(by: "Authorization") }
        // What says already that it is kept nowhere stays so.
        guard response.headerFields[.cacheControl] == "no-cache" else { return }
        if request.headerFields.contains(.authorization) {
            response.headerFields[.cacheControl] = "private, no-store"
        } else if isRead {
            response.headerFields[.cacheControl] = reads
        }
    }
}

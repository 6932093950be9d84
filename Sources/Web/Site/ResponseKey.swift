import Endpoints
import Foundation
import HTTP
import HTTPTypes

/// What two requests have in common that get the same response from memory.
struct ResponseKey: Hashable, Sendable {
    let path: String
    let query: String?
    let isCoded: Bool
    /// The day in UTC, by the clock that pages say "today" by. PostgreSQL's day, which responses can
    /// depend on, may begin a moment earlier or later.
    let day: Int

    /// In bytes.
    var size: Int { path.utf8.count + (query?.utf8.count ?? 0) }
}

/// Makes the keys of one loop's requests.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
final class ResponseKeys: @unchecked Sendable {
    /// The result for the last Accept-Encoding: most clients send one of a few values.
    private var last: (field: String?, prefersGzip: Bool) = (nil, false)

    func key(of request: Request) -> ResponseKey {
        let field = request.value(of: .acceptEncoding)
        if field != last.field { last = (field, AcceptEncoding(field).prefersGzip) }
        return ResponseKey(
            path: request.target.path, query: request.target.query, isCoded: last.prefersGzip,
            day: Date().daysSince1970)
    }
}

import Endpoints
import Foundation
import HTTP
import HTTPTypes
import Languages

/// What two requests have in common that get the same response from memory.
struct ResponseKey: Hashable, Sendable {
    let path: String
    let query: String?
    let isCoded: Bool
    let language: Language
    let era: Era
    /// Computed once, because each request looks its key up in two dictionaries.
    private let hash: Int

    init(path: String, query: String?, isCoded: Bool, language: Language, era: Era) {
        self.path = path
        self.query = query
        self.isCoded = isCoded
        self.language = language
        self.era = era
        var hasher = Hasher()
        hasher.combine(path)
        hasher.combine(query)
        hasher.combine(isCoded)
        hasher.combine(language)
        hasher.combine(era)
        hash = hasher.finalize()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// A period: what pages say about it, such as the day, isn't in the database.
    struct Era: Hashable, Sendable {
        /// The day in UTC, by the clock that pages say "today" by. PostgreSQL's day, which responses can
        /// depend on, may begin a moment earlier or later.
        let day: Int
        /// How often the operator's message on all pages has changed.
        let maintenance: Int
    }

    /// In bytes.
    var size: Int { path.utf8.count + (query?.utf8.count ?? 0) }
}

/// Makes the keys of one loop's requests.
// @unchecked: only the loop's own code and tasks of the loop refer to it.
final class ResponseKeys: @unchecked Sendable {
    private let maintenance: MaintenanceMode
    /// The result for the last Accept-Encoding: most clients send one of a few values.
    private var last: (field: String?, prefersGzip: Bool) = (nil, false)

    init(_ maintenance: MaintenanceMode) { self.maintenance = maintenance }

    /// - Parameter language: What the response is written in, as far as it has a language.
    func key(of request: Request, in language: Language) -> ResponseKey {
        if !request.hasValue(last.field, of: .acceptEncoding) {
            let field = request.value(of: .acceptEncoding)
            last = (field, AcceptEncoding(field).prefersGzip)
        }
        return ResponseKey(
            path: request.target.path, query: request.target.query, isCoded: last.prefersGzip,
            language: language, era: era)
    }

    /// A cached response must have been made within the era of its key.
    var era: ResponseKey.Era {
        ResponseKey.Era(day: Date().daysSince1970, maintenance: maintenance.changes)
    }
}

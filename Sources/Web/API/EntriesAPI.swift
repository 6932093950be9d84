import FaveGames
import HTTP

enum EntriesAPI {
    /// Everyone's public entries, the latest first, by filters.
    static func list(_ call: Call) async throws -> Response {
        let limit = try call.limit()
        let cursor = try await call.cursor(InclusionCursor.self)
        let wanted = try await call.entryQuery()
        let found = try await call.services.store.entries(
            wanted.filter, limit: limit, at: cursor)
        return await call.page(next: found.next, previous: found.previous) { json in
            json.name("entries")
            json.array(found.entries) { $0.foundEntry($1) }
        }
    }
}

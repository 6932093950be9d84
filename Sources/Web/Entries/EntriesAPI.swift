import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Languages
import Storage

enum EntriesAPI {
    static let routes = [
        Route(
            .get, "/api/v1/entries",
            .api(
                "listEntries", .entries, "List everyone's public entries, latest first",
                "An entry must match all given filters. An empty filter is ignored."),
            takes: .entryFilters, .limit, .cursor(InclusionCursor.self),
            returns: .entries(
                """
                A page. It may have fewer than “limit” entries, or none, and still a “nextCursor”: \
                the server examines a limited number of entries for each page.
                """, of: V1.foundEntry)
        ) { context, filters, limit, cursor in
            let found = try await context.services.store.entries(
                filters.filter, limit: limit, at: cursor)
            return .init(page: found.entries, next: found.next, previous: found.previous)
        },

        Route(
            .get, "/api/v1/entries/{entry}",
            .api("getEntry", .entries, "Get an entry of a public list"),
            takes: .publicEntry, returns: .json(V1.foundEntry, "The entry.")
        ) { context, id in
            guard let entry = try await context.services.store.entry(id: id) else {
                throw Problem.notFound(.english("There is no such entry on a public list."))
            }
            return entry
        },
    ]
}

extension Input where Value == UUID {
    fileprivate static var publicEntry: Self {
        .id("entry", "The entry's id.", example: Example.entry)
    }
}

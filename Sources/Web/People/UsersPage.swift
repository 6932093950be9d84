import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

enum UsersPage {
    private static let limit = 24

    static let routes = [
        Route(
            .get, "/users", .page, takes: .search(), .cursor(InclusionCursor.self),
            returns: .response, crawling: .listed, handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, search: SearchText?, cursor: InclusionCursor?
    ) async throws -> Response {
        let services = context.services
        let lists: [ListSummary]
        var pager: Pager?
        if let search {
            let users = try await services.store.users(matching: search.ofPeople, limit: limit)
            lists = try await services.store.lists(userIDs: users.map(\.id))
        } else {
            let recent = try await services.store.recentLists(limit: limit, at: cursor)
            lists = recent.lists
            pager = Pager(
                path: "/users", next: await context.sealed(recent.next), isFirst: cursor == nil)
        }
        var page = PageModel(
            search.map { Words.peopleMatching($0.text) } ?? .people,
            description: .aboutPeople,
            path: Path.search("/users", search), section: .people,
            json: search.map { Path.search("/api/v1/users", $0) }, context: context.pageContext)
        page.isIndexed = search == nil && cursor == nil
        return .page(page, .users(lists, search: search?.text, pager: pager, covers: page.covers))
    }
}

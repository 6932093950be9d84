import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

/// The people whose lists share the most games with a user's list.
enum SimilarPage {
    private static let limit = 24

    static let routes = [
        Route(
            .get, "/@{username}/similar", .page, takes: .username, returns: .response,
            costs: .dear, crawling: .disallowed, handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, username: Username
    ) async throws -> Response {
        guard let list = try await context.list(of: username) else {
            throw try await context.moved(from: username, Path.similar)
        }
        let lists = try await context.services.store.similarLists(list, limit: limit)
        var page = PageModel(
            .similarTaste(to: list.owner.displayName),
            description: .aboutSimilarTaste(to: list.owner.displayName),
            path: Path.similar(list.owner.username), section: .people,
            json: list.owner.visibility == .private
                ? nil : "/api/v1/users/\(list.owner.username)/similar", context: context.pageContext
        )
        page.isIndexed = false
        let content = View.similar(
            to: Person(list.owner), hasGames: !list.entries.isEmpty, lists,
            covers: page.covers)
        return Response.page(page, content)
    }
}

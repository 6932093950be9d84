import FaveGames
import HTTP
import HTTPTypes
import Views

/// The people whose lists share the most games with a user's list.
enum KindredPage {
    private static let limit = 24

    static let routes = [
        Route(
            .get, "/@{username}/kindred", .page, takes: .username, answers: .response,
            costs: .dear, crawling: .disallowed, handler: show)
    ]

    @Sendable private static func show(
        _ call: Call, username: Username
    ) async throws -> Response {
        guard let list = try await call.list(of: username) else {
            throw try await call.moved(from: username, Path.kindred)
        }
        let kindred = try await call.services.store.kindredLists(list, limit: limit)
        var page = PageModel(
            "Similar taste to \(list.owner.displayName)",
            description: "People whose lists overlap most with \(list.owner.displayName)’s.",
            path: Path.kindred(list.owner.username), section: .people, context: call.context)
        page.isIndexed = false
        let content = HTML.kindred(
            of: Person(list.owner), hasGames: !list.entries.isEmpty, kindred)
        return try Response.page(page, content).conditional(for: call)
    }
}

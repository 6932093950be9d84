import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Views

/// A list for a frame on another site. The page is the same for everyone: no session is read, so
/// that the site around it can't learn who is looking, or make them do anything.
enum EmbedPage {
    static let routes = [
        Route(
            .get, "/@{username}/embed", .embed, takes: .username, returns: .response,
            handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, username: Username
    ) async throws -> Response {
        let services = context.services
        guard let list = try await context.list(of: username) else {
            throw try await context.moved(from: username, Path.embed)
        }
        let owner = list.owner
        let path = Path.embed(owner.username)
        if context.request.target.path != path { return .redirect(to: path) }
        let language = services.settings.language(of: owner)
        let page = View.embed(
            title: owner.listTitle,
            canonical: services.settings.publicURL + Path.list(owner.username),
            stylesheet: services.assets.path("embed.css"), person: Person(owner),
            entries: list.entries, message: list.entries.isEmpty ? .isStillChoosing : nil,
            site: services.settings.site.name, language: language,
            covers: services.settings.covers)
        return Response.html(page, in: language)
    }

    /// What the frame shows instead of a list.
    static func response(to problem: Problem, _ services: Services) -> Response {
        let page = View.embed(
            title: ErrorPage.heading(problem), canonical: nil,
            stylesheet: services.assets.path("embed.css"), person: nil, entries: [],
            message: problem.words, site: services.settings.site.name,
            language: services.settings.languages.site, covers: services.settings.covers)
        var response = Response.html(
            page, in: services.settings.languages.site, status: problem.status)
        for field in problem.headerFields { response.headerFields.append(field) }
        response.forbidCaching()
        return response
    }
}

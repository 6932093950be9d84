import FaveGames
import HTTP
import Views

/// A list for a frame on another site. It is the same for everybody: no session is read, so that
/// the site around it cannot learn who looks, or make them do anything.
enum EmbedPage {
    static func show(_ call: Call) async throws -> Response {
        let services = call.services
        guard let list = try await call.listOfPath() else {
            return try await call.redirectToSuccessor(Path.embed)
        }
        let owner = list.owner
        let path = Path.embed(owner.username)
        if call.request.target.path != path { return .redirect(to: path) }
        let page = HTML.embed(
            title: "Favourite games of \(owner.displayName)",
            canonical: services.settings.publicURL + Path.list(owner.username),
            stylesheet: services.assets.path("embed.css"), person: Person(owner),
            entries: list.entries, message: list.entries.isEmpty ? "Still choosing." : nil)
        return try Response.html(page).conditional(for: call)
    }

    /// What the frame shows instead of a list.
    static func response(to problem: Problem, _ services: Services) -> Response {
        let page = HTML.embed(
            title: problem.status.reasonPhrase, canonical: nil,
            stylesheet: services.assets.path("embed.css"), person: nil, entries: [],
            message: problem.detail)
        var response = Response.html(page, status: problem.status)
        for field in problem.headerFields { response.headerFields.append(field) }
        response.headerFields[.cacheControl] = "no-store"
        return response
    }
}

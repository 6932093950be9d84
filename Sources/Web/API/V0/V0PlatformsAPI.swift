import FaveGames
import HTTP
import JSON

enum V0PlatformsAPI {
    /// Platforms that match a search, or those with certain ids.
    static func list(_ call: Call) async throws -> Response {
        let store = call.services.store
        let platforms: [Platform]
        if let ids = try call.ids("platformIds", mayHaveSpaces: true) {
            platforms = try await store.platforms(ids: ids)
        } else if let search = try call.searchText("searchTerm") ?? call.searchText() {
            platforms = try await store.platforms(matching: search)
        } else {
            throw Problem.badRequest("Give \"searchTerm\", \"search\" or \"platformIds\".")
        }
        return Response.json { $0.array(platforms) { $0.v0Platform($1) } }
    }

    /// The first of a platform's ranking, and why people love them.
    static func faveGames(_ call: Call) async throws -> Response {
        let platform = try await call.platform()
        let ranking = try await call.services.store.ranking(
            platform: platform.id, limit: 5, quotes: Ranking.quoteLimits.upperBound)
        return Response.json { $0.array(ranking.games) { $0.v0RankedGame($1) } }
    }
}

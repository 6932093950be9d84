import FaveGames
import HTTP
import JSON

enum RankingsAPI {
    static func ranking(_ call: Call) async throws -> Response {
        let limit = try call.query("limit", in: Ranking.pageSizes) ?? Ranking.defaultPageSize
        let quotes = try call.query("comments", in: Ranking.quoteLimits) ?? Ranking.defaultQuotes
        let platformID: Int =
            switch try call.path(.platform) {
            case .id(let id): id
            case .slug: try await call.platform().id
            }
        let cursor = try await call.rankingCursor(of: platformID)
        let ranking = try await call.services.store.ranking(
            platform: platformID, limit: limit, quotes: quotes, at: cursor)
        // A platform that has a ranking exists; only for an empty one that is a question.
        if ranking.games.isEmpty { _ = try await call.platform() }
        return await call.page(next: ranking.next, previous: ranking.previous) { json in
            json.member("platformId", platformID)
            json.name("games")
            json.array(ranking.games) { $0.rankedGame($1) }
        }
    }

    /// Who includes a game on a platform, and why.
    static func entries(_ call: Call) async throws -> Response {
        let limit = try call.limit()
        let gameID = try call.path(.game)
        let cursor = try await call.cursor(InclusionCursor.self)
        let platform = try await call.platform()
        let inclusions = try await call.services.store.inclusions(
            game: gameID, platform: platform.id, limit: limit, at: cursor)
        if inclusions.entries.isEmpty, cursor == nil {
            guard let game = try await call.services.games.game(gameID),
                game.platforms.contains(platform)
            else { throw Problem.notFound("There is no such game on this platform.") }
        }
        return await call.page(next: inclusions.next, previous: inclusions.previous) { json in
            json.name("entries")
            json.array(inclusions.entries) { $0.inclusion($1) }
        }
    }
}

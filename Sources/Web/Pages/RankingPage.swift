import FaveGames
import HTTP
import Views

enum RankingPage {
    private static let pageSize = 50

    static func show(_ call: Call) async throws -> Response {
        let services = call.services
        let platform = try await call.platform()
        let cursor = try await call.rankingCursor(of: platform.id)
        // Each platform has one address: that with its slug.
        if case .id = try call.path(.platform) { return .redirect(to: Path.platform(platform)) }
        let ranking = try await services.store.ranking(
            platform: platform.id, limit: pageSize, quotes: cursor == nil ? 3 : 0, at: cursor)
        var highest = ranking.games.first?.includedBy ?? 0
        if cursor != nil {
            highest =
                try await services.store.platformTops(ids: [platform.id], games: 1)
                .first?.games.first?.includedBy ?? highest
        }
        let movements = try await services.store.movements(
            platform: platform.id,
            ranks: Dictionary(
                ranking.games.map { ($0.game.id, $0.rank) }, uniquingKeysWith: { $1 }))
        let rows = RankedRow.rows(
            ranking.games, on: platform, highest: highest, movements: movements)
        let top = cursor == nil ? Array(rows.prefix(FaveList.limit)) : []
        let path = Path.platform(platform)
        var page = PageModel(
            "Most loved games on \(platform.name)",
            description: description(platform, ranking.games, isFirst: cursor == nil),
            path: path, section: .platforms, json: "/api/v1\(path)/ranking", context: call.context)
        page.isIndexed = cursor == nil
        page.image = ranking.games.lazy.compactMap { PreviewImage($0.game) }.first
        page.feed = Path.rankingFeed(platform)
        if cursor == nil, !ranking.games.isEmpty {
            page.structuredData = StructuredData.of(
                ranking.games, on: platform, publicURL: services.settings.publicURL)
        }
        let content = HTML.ranking(
            of: platform, top: top, rest: Array(rows.dropFirst(top.count)),
            pager: Pager(
                path: path, next: await call.sealed(ranking.next), isFirst: cursor == nil))
        return try Response.page(page, content).conditional(for: call.request)
    }

    private static func description(
        _ platform: Platform, _ games: [RankedGame], isFirst: Bool
    ) -> String {
        guard isFirst, !games.isEmpty else {
            return "The games people love most on \(platform.name)."
        }
        let names = games.prefix(FaveList.limit).map { "\($0.rank). \($0.game.name)" }
        return names.joined(separator: ", ")
    }
}

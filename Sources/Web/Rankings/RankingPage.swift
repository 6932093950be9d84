import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Storage
import Views

enum RankingPage {
    private static let pageSize = 50
    private static let quoteCount = 3

    static let routes = [
        Route(
            .get, "/platforms/{platform}", .page,
            takes: .platformReference, .platform, .cursor(RankingCursor.self),
            returns: .response, handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, reference: PlatformReference, platform: Platform,
        cursor: RankingCursor?
    ) async throws -> Response {
        let services = context.services
        try context.check(cursor, of: platform.id)
        let path = Path.platform(platform)
        // A platform's only address contains its slug.
        if case .id = reference { return .redirect(to: path) }
        let store = services.store
        let isFirst = cursor == nil
        async let games = store.ranking(
            platform: platform.id, limit: pageSize, quotes: 0, at: cursor)
        // Comments are shown only with the first games of the first page.
        async let quoted =
            isFirst
            ? store.ranking(platform: platform.id, limit: FaveList.limit, quotes: quoteCount)
            : Ranking(games: [], next: nil)
        async let leader = isFirst ? [] : store.platformTops(ids: [platform.id], games: 1)
        // Past ranks are not recorded for games this far down.
        let isFar = cursor.map { $0.direction == .after && $0.rank > Movement.storedRanks } ?? false
        async let past = isFar ? .none : store.pastRanks(platform: platform.id)
        async let list = context.visitorsList()
        let ranking = try await games.quoting(quoted)
        let rows = RankingRow.rows(
            ranking.games, on: platform, highest: try await leader.first?.games.first?.includedBy,
            past: try await past)
        let top = isFirst ? Array(rows.prefix(FaveList.limit)) : []
        var page = PageModel(
            .mostLovedGames(on: platform.name),
            description: description(platform, ranking.games, isFirst: isFirst),
            path: path, section: .platforms, json: "/api/v1\(path)/ranking",
            context: context.pageContext)
        page.isIndexed = isFirst
        page.nameAlternates(services.settings)
        page.beginsWithCover = ranking.games.first?.game.coverImageID != nil
        if isFirst, page.isForMachines {
            page.image = PreviewImage(
                services.settings.card(of: ranking.games, on: platform), of: path,
                words: page.description,
                publicURL: services.settings.publicURL)
        }
        page.feed = Path.rankingFeed(platform)
        if isFirst, page.isForMachines, !ranking.games.isEmpty {
            page.structuredData = StructuredData.of(
                ranking.games, on: platform, in: page.language, for: services.settings.addresses)
        }
        let content = View.ranking(
            of: platform, top: top, rest: Array(rows.dropFirst(top.count)),
            pager: Pager(
                path: path, next: await context.sealed(ranking.next), isFirst: isFirst),
            list: try await list, covers: page.covers)
        return Response.page(page, content)
    }

    private static func description(
        _ platform: Platform, _ games: [RankedGame], isFirst: Bool
    ) -> Words {
        guard isFirst, !games.isEmpty else {
            return .aboutRanking(of: platform.name)
        }
        return .list(games.prefix(FaveList.limit).map { $0.game.name.numbered($0.rank) })
    }
}

extension Ranking {
    /// This ranking with the quotes of another one, which was read at the same time.
    fileprivate func quoting(_ other: Ranking) -> Ranking {
        let quotes = Dictionary(
            other.games.map { ($0.game.id, $0.quotes) }, uniquingKeysWith: { one, _ in one })
        let games = games.map { ranked in
            var ranked = ranked
            ranked.quotes = quotes[ranked.game.id] ?? []
            return ranked
        }
        return Ranking(games: games, next: next, previous: previous)
    }
}

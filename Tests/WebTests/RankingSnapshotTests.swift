import FaveGames
import Testing
import Views

@testable import Web

@Suite("Snapshot of a ranking")
struct RankingSnapshotTests {
    private func render(
        _ games: [RankedGame], highest: Int, isFirst: Bool, next: String?
    ) async throws -> HTML {
        try await Services.forPages { services in
            let platform = Fixture.playStation
            let rows = RankingRow.rows(games, on: platform, highest: highest)
            let top = isFirst ? Array(rows.prefix(5)) : []
            let rest = Array(rows.dropFirst(top.count))
            let path = Path.platform(platform)
            var page = PageModel(
                "Most loved games on \(platform.name)", description: "What people love most.",
                path: path, section: .platforms, json: "/api/v1\(path)/ranking",
                context: PageContext(services))
            page.isIndexed = isFirst
            page.image = games.lazy.compactMap { PreviewImage($0.game) }.first
            return HTML.layout(
                page,
                .ranking(
                    of: platform, top: top, rest: rest,
                    pager: Pager(path: path, next: next, isFirst: isFirst), list: nil))
        }
    }

    private var games: [RankedGame] {
        let quotes = [
            Quote(username: "rob", displayName: "Rob <b>", comment: "Because.\nReally & truly."),
            Quote(username: "noa", displayName: "נועה", comment: "המשחק הכי טוב"),
        ]
        let others = Fixture.games(4)
        return [
            Fixture.ranked(Fixture.diablo, 1, 12_345, quotes),
            Fixture.ranked(Fixture.guardian, 2, 999, [quotes[0]]),
            Fixture.ranked(Fixture.portal, 2, 999), Fixture.ranked(Fixture.shenmue, 4, 3),
            Fixture.ranked(Fixture.markup, 5, 2), Fixture.ranked(others[0], 5, 2),
            Fixture.ranked(others[1], 7, 1), Fixture.ranked(others[2], 7, 1),
        ]
    }

    @Test("that is empty")
    func empty() async throws {
        try Snapshot.expect(
            await render([], highest: 0, isFirst: true, next: nil), is: "ranking-empty")
    }

    @Test("on its first page")
    func first() async throws {
        try Snapshot.expect(
            await render(games, highest: 12_345, isFirst: true, next: "bmV4dA"),
            is: "ranking-first")
    }

    @Test("on its first page, with fewer than five games")
    func short() async throws {
        try Snapshot.expect(
            await render(Array(games.prefix(2)), highest: 12_345, isFirst: true, next: nil),
            is: "ranking-short")
    }

    @Test("on a later page")
    func later() async throws {
        try Snapshot.expect(
            await render(Array(games.suffix(3)), highest: 12_345, isFirst: false, next: nil),
            is: "ranking-later")
    }
}

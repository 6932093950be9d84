import FaveGames
import HTTPTypes
import Testing
import Views

@testable import Web

@Suite("Snapshot of an overview")
struct OverviewSnapshotTests {
    private func home(_ tops: [PlatformTop], _ recent: [FaveList]) async throws -> HTML {
        try await Services.forPages { services in
            var page = PageModel(
                "Your five favourite games", description: "Keep a list.", path: "/",
                context: PageContext(services))
            page.hasSearch = false
            return HTML.layout(page, .home(featured: tops, recent: recent.map(\.summary)))
        }
    }

    @Test("at home")
    func home() async throws {
        let top = PlatformTop(
            platform: Fixture.playStation,
            games: [
                Fixture.ranked(Fixture.diablo, 1, 1500), Fixture.ranked(Fixture.guardian, 2, 1),
                Fixture.ranked(Fixture.shenmue, 2, 1),
            ])
        try Snapshot.expect(
            await home([top], [Fixture.full, Fixture.rightToLeft, Fixture.one]), is: "home")
    }

    @Test("at home, before anybody came")
    func emptyHome() async throws {
        try Snapshot.expect(await home([], []), is: "home-empty")
    }

    private func platforms(
        _ platforms: [PlatformTop], search: SearchText? = nil
    ) async throws -> HTML {
        try await Services.forPages { services in
            var page = PageModel(
                "Platforms", description: "Every platform.",
                path: Path.search("/platforms", search), section: .platforms,
                json: Path.search("/api/v1/platforms", search), context: PageContext(services))
            page.isIndexed = search == nil
            return HTML.layout(page, .platforms(platforms, search: search?.text))
        }
    }

    @Test("of platforms")
    func platforms() async throws {
        let tiles = [
            PlatformTop(
                platform: Fixture.playStation,
                games: [
                    Fixture.ranked(Fixture.diablo, 1, 2), Fixture.ranked(Fixture.guardian, 2, 1),
                ]),
            PlatformTop(platform: Fixture.odd, games: []),
        ]
        try Snapshot.expect(await platforms(tiles), is: "platforms")
        try Snapshot.expect(
            await platforms(tiles, search: SearchText("\"odd\" & <even>")), is: "platforms-found")
        try Snapshot.expect(
            await platforms([], search: SearchText("zzz")), is: "platforms-not-found")
    }

    private func games(
        _ found: [FoundGame], search: SearchText? = nil, notice: String? = nil
    ) async throws -> HTML {
        try await Services.forPages { services in
            var page = PageModel(
                "Find a game", description: "Find one.", path: Path.search("/games", search),
                section: .games, json: search.map { Path.search("/api/v1/games", $0) },
                context: PageContext(services))
            page.hasSearch = false
            return HTML.layout(
                page, .games(found, search: search?.text, notice: notice, mostLoved: []))
        }
    }

    @Test("of games")
    func games() async throws {
        let found = [
            FoundGame(game: Fixture.portal, platforms: [Fixture.pc, Fixture.odd]),
            FoundGame(game: Fixture.markup, platforms: []),
        ]
        try Snapshot.expect(await games([]), is: "games")
        try Snapshot.expect(
            await games(found, search: SearchText("portal"), notice: "These are the first 2."),
            is: "games-found")
        try Snapshot.expect(await games([], search: SearchText("zzz")), is: "games-not-found")
    }

    private func people(_ lists: [FaveList], search: SearchText? = nil) async throws -> HTML {
        try await Services.forPages { services in
            let page = PageModel(
                "People", description: "Find people.", path: Path.search("/users", search),
                section: .people, json: nil, context: PageContext(services))
            return HTML.layout(page, .users(lists.map(\.summary), search: search?.text))
        }
    }

    @Test("of people")
    func people() async throws {
        try Snapshot.expect(
            await people([Fixture.full, Fixture.none, Fixture.rightToLeft]), is: "users")
        try Snapshot.expect(
            await people([Fixture.one], search: SearchText("ada")), is: "users-found")
        try Snapshot.expect(await people([], search: SearchText("zzz")), is: "users-not-found")
    }

    @Test("of what went wrong")
    func errors() async throws {
        try await Services.forPages { services in
            func page(_ problem: Problem) -> [UInt8] {
                ErrorPage.response(to: problem, PageContext(services)).body
            }
            try Snapshot.expect(
                page(.notFound("There is nobody called @<rob> here.")), is: "error-404")
            try Snapshot.expect(
                page(.unavailable("The database is away.", retryAfter: 5)), is: "error-503")
        }
    }

    @Test("of problems, and of one of them")
    func problems() async throws {
        let (overview, one) = try await Services.forPages { services in
            let page = PageModel(
                "API problem types", description: "What can go wrong.", path: Path.problems,
                context: PageContext(services))
            return (
                HTML.layout(page, .problems([ProblemKind.notFound, .listFull].map(\.forPage))),
                HTML.layout(page, .problemKind(ProblemKind.invalidMembers.forPage))
            )
        }
        try Snapshot.expect(overview, is: "problems")
        try Snapshot.expect(one, is: "problem-kind")
    }
}

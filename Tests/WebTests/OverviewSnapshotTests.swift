import FaveGames
import HTTPTypes
import Testing

@testable import Web

@Suite("Snapshot of an overview")
struct OverviewSnapshotTests {
    private func home(_ tops: [PlatformTop], _ recent: [FaveList]) async throws -> String {
        try await Services.forPages { services in
            let page = PageModel(
                "Your five favourite games", description: "Keep a list.", path: "/",
                context: PageContext(services))
            return services.views.render(
                .home,
                HomePage.Model(
                    page: page, featured: tops.map(HomePage.Featured.init),
                    recent: recent.map { CardModel($0) }))
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
        _ tiles: [PlatformsPage.Tile], search: SearchText? = nil
    ) async throws -> String {
        try await Services.forPages { services in
            var page = PageModel(
                "Platforms", description: "Every platform.",
                path: Path.search("/platforms", search), section: .platforms,
                json: Path.search("/api/v1/platforms", search), context: PageContext(services))
            page.noindex = search != nil
            return services.views.render(
                .platforms,
                PlatformsPage.Model(
                    page: page, search: search?.text ?? "", searching: search != nil,
                    platforms: tiles))
        }
    }

    @Test("of platforms")
    func platforms() async throws {
        let tiles = [
            PlatformsPage.Tile(
                platform: PlatformModel(Fixture.playStation), ranked: true, first: "Diablo III",
                top: [GameModel(Fixture.diablo), GameModel(Fixture.guardian)]),
            PlatformsPage.Tile(
                platform: PlatformModel(Fixture.odd), ranked: false, first: nil, top: []),
        ]
        try Snapshot.expect(await platforms(tiles), is: "platforms")
        try Snapshot.expect(
            await platforms(tiles, search: SearchText("\"odd\" & <even>")), is: "platforms-found")
        try Snapshot.expect(
            await platforms([], search: SearchText("zzz")), is: "platforms-not-found")
    }

    private func games(
        _ found: [FoundGame], search: SearchText? = nil, notice: String? = nil
    ) async throws -> String {
        try await Services.forPages { services in
            let page = PageModel(
                "Find a game", description: "Find one.", path: Path.search("/games", search),
                section: .games, json: search.map { Path.search("/api/v1/games", $0) },
                context: PageContext(services))
            return services.views.render(
                .games,
                GamesPage.Model(
                    page: page, search: search?.text ?? "", searching: search != nil,
                    notice: notice, results: found.map { GamesPage.Result($0) }, pager: nil))
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

    private func people(_ lists: [FaveList], search: SearchText? = nil) async throws -> String {
        try await Services.forPages { services in
            let page = PageModel(
                "People", description: "Find people.", path: Path.search("/users", search),
                section: .people, json: nil, context: PageContext(services))
            return services.views.render(
                .users,
                UsersPage.Model(
                    page: page, search: search?.text ?? "", searching: search != nil,
                    hasPeople: !lists.isEmpty, people: lists.map { CardModel($0) }, pager: nil))
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
            func page(_ problem: Problem) -> String {
                String(
                    decoding: ErrorPage.response(to: problem, PageContext(services)).body,
                    as: UTF8.self)
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
                "Problems of the API", description: "What can go wrong.", path: Path.problems,
                context: PageContext(services))
            return (
                services.views.render(
                    .problems,
                    ProblemsPage.Model(
                        page: page,
                        kinds: [ProblemKind.notFound, .listFull].map {
                            ProblemsPage.KindModel($0)
                        })),
                services.views.render(
                    .problemKind,
                    ProblemsPage.KindPageModel(
                        page: page, kind: ProblemsPage.KindModel(.invalidMembers)))
            )
        }
        try Snapshot.expect(overview, is: "problems")
        try Snapshot.expect(one, is: "problem-kind")
    }
}

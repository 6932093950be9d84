import FaveGames
import Testing
import Views

@testable import Web

@Suite("Snapshot of a game")
struct GameSnapshotTests {
    private let voices = [
        Fixture.inclusion("rob", "Rob <b>", "Because.\n\nReally."),
        Fixture.inclusion("noa", "נועה", ""),
    ]

    private func renderGame(
        _ game: Game, _ standings: [GameStanding], _ entries: [Inclusion],
        related: [RelatedGame] = [], next: String? = nil
    ) async throws -> HTML {
        try await Services.forPages { services in
            var page = PageModel(
                game.name, description: "Who loves it.", path: Path.game(game.id), section: .games,
                json: "/api/v1" + Path.game(game.id), context: PageContext(services))
            page.image = PreviewImage(game)
            return HTML.layout(
                page,
                .game(
                    game, standings: standings, related: related, add: AddOffer(game, to: nil),
                    entries: entries,
                    pager: Pager(path: Path.game(game.id), next: next, isFirst: true),
                    hearts: Hearts()))
        }
    }

    @Test("on its own page")
    func game() async throws {
        let standings = [
            GameStanding(
                platform: Fixture.playStation, includedBy: 1200, rank: 1, isTied: false,
                highestCount: 1200),
            GameStanding(
                platform: Fixture.pc, includedBy: 1, rank: 3, isTied: true, highestCount: 40),
            GameStanding(
                platform: Fixture.pc, includedBy: 2, rank: nil, isTied: true, highestCount: 4000),
            GameStanding(
                platform: Fixture.odd, includedBy: 0, rank: nil, isTied: false, highestCount: 7),
        ]
        try Snapshot.expect(
            await renderGame(
                Fixture.diablo, standings, voices,
                related: [
                    RelatedGame(game: Fixture.portal, sharedLists: 1200, includedBy: 5000),
                    RelatedGame(game: Fixture.markup, sharedLists: 2, includedBy: 2),
                ], next: "bmV4dA"), is: "game")
    }

    @Test("that nobody loves yet, on no platform that we know")
    func unloved() async throws {
        try Snapshot.expect(await renderGame(Fixture.markup, [], []), is: "game-unloved")
    }

    private func renderOnPlatform(
        _ game: Game, rank: Int?, tied: Bool, count: Int, _ entries: [Inclusion],
        hearts: Hearts = Hearts()
    ) async throws -> HTML {
        try await Services.forPages { services in
            let platform = Fixture.playStation
            let path = Path.platformGame(platform, game.id)
            var page = PageModel(
                "\(game.name) on \(platform.name)", description: "Who loves it there.", path: path,
                section: .platforms, json: "/api/v1\(path)/entries", context: PageContext(services))
            page.image = PreviewImage(game)
            let standing = GameStanding(
                platform: platform, includedBy: count, rank: rank, isTied: tied,
                highestCount: count)
            return HTML.layout(
                page,
                .platformGame(
                    game, on: platform, standing: standing,
                    add: AddOffer(game, on: platform, to: nil),
                    entries: entries, pager: nil, hearts: hearts))
        }
    }

    @Test("on a platform")
    func onPlatform() async throws {
        try Snapshot.expect(
            await renderOnPlatform(Fixture.guardian, rank: 2, tied: true, count: 1234, voices),
            is: "platform-game")
    }

    @Test("on a platform, where people agree with a comment, to someone who does, too")
    func agreed() async throws {
        let ada = Fixture.inclusion("ada", "Ada", "Because.", id: 3, hearts: 1234)
        let rob = Fixture.inclusion("rob", "Rob <b>", "Not that.", id: 4, hearts: 1)
        let hearts = Hearts(
            givenBy: "rob",
            keys: FormKeys(token: "TOKEN", returnPath: "/platforms/ps4--1/games/117"),
            given: [ada.id])
        try Snapshot.expect(
            await renderOnPlatform(
                Fixture.guardian, rank: 2, tied: true, count: 1234,
                [ada, rob, Fixture.inclusion("noa", "נועה", "")], hearts: hearts),
            is: "platform-game-agreed")
    }

    @Test("on a platform with more games above it than are counted")
    func unranked() async throws {
        try Snapshot.expect(
            await renderOnPlatform(Fixture.guardian, rank: nil, tied: true, count: 2, voices),
            is: "platform-game-unranked")
    }

    @Test("on a platform where nobody loves it yet")
    func unlovedOnPlatform() async throws {
        try Snapshot.expect(
            await renderOnPlatform(Fixture.portal, rank: nil, tied: false, count: 0, []),
            is: "platform-game-unloved")
    }
}

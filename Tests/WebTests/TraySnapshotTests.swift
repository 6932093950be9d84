import FaveGames
import Foundation
import Testing
import Views

@testable import Web

@Suite("Snapshot of a tray")
struct TraySnapshotTests {
    private func row(
        _ place: Int, _ name: String, _ finding: ImportFinding, game: Game? = nil,
        platform: Platform? = nil, comment: String = "", platforms: String = "", score: String = ""
    ) -> ImportRow {
        ImportRow(
            place: place, line: place + 1, name: name, platforms: platforms, releaseYear: nil,
            score: score, rating: nil, comment: comment, tags: "", shelf: "", date: "",
            finding: finding, candidates: finding == .severalGames ? 3 : 1, game: game,
            platform: platform)
    }

    private func render(
        _ state: GameImport.State, _ rows: [ImportRow], showsLeftOut: Bool = false,
        next: String? = nil, problem: String? = nil
    ) async throws -> HTML {
        try await Services.forPages { services in
            let page = PageModel(
                "Bring games from elsewhere", description: "Pick your five.", path: nil,
                section: .editor, context: PageContext(services))
            let found = GameImport(
                id: UUID.first, fileName: "my <games>.csv", state: state, rowCount: 1200,
                doneCount: state == .done ? 1200 : 250, suggestedCount: 240,
                madeAt: Fixture.date)
            let tray = Tray(
                found, rows, showsLeftOut: showsLeftOut, list: nil, next: next, isFirst: true)
            return HTML.layout(
                page, .tray(tray, FormKeys(token: "token"), notice: nil, problem: problem))
        }
    }

    @Test("with games to pick")
    func done() async throws {
        let rows = [
            row(
                1, "portal", .found, game: Fixture.portal, platform: Fixture.pc,
                comment: "The cake\nis a lie & \"more\".", score: "5"),
            row(2, "Odd", .unknownPlatform, game: Fixture.markup, platforms: "<Amiga>"),
            row(3, "Diablo", .severalGames, game: Fixture.diablo),
        ]
        try Snapshot.expect(await render(.done, rows, next: "bmV4dA"), is: "tray")
    }

    @Test("with what was left out")
    func leftOut() async throws {
        let rows = [
            row(1, "<b>Nothing</b>", .noGame), row(2, "", .noName),
            row(3, "Portal", .duplicate, game: Fixture.portal),
        ]
        try Snapshot.expect(
            await render(.done, rows, showsLeftOut: true), is: "tray-left-out")
    }

    @Test("while games are looked for, and after an error")
    func running() async throws {
        try Snapshot.expect(
            await render(.running, [], problem: "Your last import is still running."),
            is: "tray-running")
    }
}

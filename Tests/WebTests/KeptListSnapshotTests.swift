import FaveGames
import Testing
import Views

@testable import Web

@Suite("Snapshot of a kept list")
struct KeptListSnapshotTests {
    private static let entries = [
        KeptEntry(
            position: 1, game: Fixture.portal, platform: Fixture.pc,
            comment: "The cake is a lie.\n\nStill.", rating: Rating(5), tags: ["puzzle"]),
        KeptEntry(position: 2, game: Fixture.shenmue, platform: Fixture.odd, comment: ""),
        KeptEntry(
            position: 3, game: Fixture.markup, platform: Fixture.odd,
            comment: "<script>alert('1')</script>"),
    ]

    private static let then = [
        KeptEntry(position: 1, game: Fixture.shenmue, platform: Fixture.odd, comment: ""),
        KeptEntry(position: 2, game: Fixture.portal, platform: Fixture.pc, comment: ""),
        KeptEntry(position: 3, game: Fixture.diablo, platform: Fixture.playStation, comment: ""),
    ]

    private static func summary(_ slug: String, _ title: String) -> KeptListSummary {
        KeptListSummary(slug: slug, title: title, keptAt: Fixture.date)
    }

    private func render(_ kept: KeptList, others: [KeptListSummary]) async throws -> HTML {
        try await Services.forPages { services in
            let path = Path.kept(kept.owner.username, kept.summary.slug)
            var page = PageModel(
                kept.fullTitle, description: "What they loved.", path: path, section: .people,
                context: PageContext(services))
            page.structuredData = StructuredData.of(kept, publicURL: "https://fave.example")
            page.image = PreviewImage(kept, publicURL: "https://fave.example")
            return HTML.layout(
                page,
                .keptList(
                    kept, isOwner: false, canonical: page.canonical,
                    shareText: services.settings.spoken(path),
                    others: others.map { NamedLink($0, of: kept.owner) }))
        }
    }

    @Test("that is the first")
    func first() async throws {
        let kept = KeptList(
            owner: Fixture.full.owner, summary: Self.summary("2023", "My five, 2023"),
            entries: Self.then)
        try Snapshot.expect(await render(kept, others: []), is: "kept-list-first")
    }

    @Test("that differs from the one before, with markup in what people wrote")
    func later() async throws {
        let earlier = Self.summary("2023", "<b>Then</b>")
        let kept = KeptList(
            owner: Fixture.full.owner, summary: Self.summary("2024", "\"Now\" & <i>here</i>"),
            entries: Self.entries, previous: (earlier, Self.then))
        let html = try await render(kept, others: [earlier])
        #expect(!html.string.contains("<script>") && !html.string.contains("<b>Then"))
        try Snapshot.expect(html, is: "kept-list-later")
    }
}

import FaveGames
import Testing
import Views

@testable import Web

@Suite("Snapshot of a list")
struct ListSnapshotTests {
    private func render(
        _ list: FaveList, hearts: Hearts = Hearts(), visitor: VisitorsView? = nil
    ) async throws -> HTML {
        try await Services.forPages { services in
            let path = Path.list(list.owner.username)
            var page = PageModel(
                "\(list.owner.displayName)’s favourite games", description: "What they love.",
                path: path, section: .people, json: "/api/v1/users/\(list.owner.username)/list",
                context: PageContext(services))
            page.type = "profile"
            page.feed = Path.listFeed(list.owner.username)
            page.oembed = OEmbed.address(of: list, publicURL: "https://fave.example")
            page.structuredData = StructuredData.of(list, publicURL: "https://fave.example")
            page.image = PreviewImage(list, publicURL: "https://fave.example")
            return HTML.layout(
                page,
                .list(
                    list, isOwner: false, canonical: page.canonical,
                    shareText: services.settings.spoken(path),
                    embedCode: EmbedCode(list, publicURL: "https://fave.example").html,
                    hearts: hearts, visitor: visitor))
        }
    }

    @Test("to someone who is signed in, and agrees with a comment")
    func visitor() async throws {
        let keys = FormKeys(token: "TOKEN", returnPath: "/@rob")
        let ids = Fixture.full.entries.map(\.id)
        let taste = SharedTaste(
            own: [Fixture.diablo, Fixture.portal], theirs: Fixture.full.entries.map(\.game))
        try Snapshot.expect(
            await render(
                Fixture.full,
                hearts: Hearts(
                    counts: [ids[0]: 1, ids[3]: 1200], givenBy: "ada", keys: keys, given: [ids[0]]),
                visitor: VisitorsView(keys: keys, isFollowing: true, taste: taste)),
            is: "list-visitor")
        let other = VisitorsView(
            keys: keys, isFollowing: false, taste: SharedTaste(own: [], theirs: [Fixture.portal]))
        try Snapshot.expect(
            await render(Fixture.one, hearts: Hearts(counts: [ids[0]: 2]), visitor: other),
            is: "list-hearts")
    }

    @Test("without entries")
    func none() async throws {
        try Snapshot.expect(await render(Fixture.none), is: "list-none")
    }

    @Test("with one entry")
    func one() async throws {
        try Snapshot.expect(await render(Fixture.one), is: "list-one")
    }

    @Test("with five entries, some with markup in them")
    func five() async throws {
        let html = try await render(Fixture.full)
        #expect(!html.string.contains("<script>"))
        let quoteWithMark = Array("\"\u{301}".utf8)
        #expect(html.bytes.firstRange(of: quoteWithMark) == nil)
        try Snapshot.expect(html, is: "list-five")
    }

    @Test("written from right to left")
    func rightToLeft() async throws {
        try Snapshot.expect(await render(Fixture.rightToLeft), is: "list-right-to-left")
    }
}

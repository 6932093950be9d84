import FaveGames
import Testing

@testable import Web

@Suite("Snapshot of a list")
struct ListSnapshotTests {
    private func render(_ list: FaveList) async throws -> String {
        try await Services.forPages { services in
            let path = Path.list(list.owner.username)
            var page = PageModel(
                "Favourite games of \(list.owner.displayName)", description: "What they love.",
                path: path, section: .people, json: "/api/v1/users/\(list.owner.username)/list",
                context: PageContext(services))
            page.type = "profile"
            page.feed = Path.listFeed(list.owner.username)
            page.oembed = OEmbed.address(of: list, publicURL: "https://fave.example")
            page.structuredData = StructuredData.of(list, publicURL: "https://fave.example")
            page.image = ImageModel(list, publicURL: "https://fave.example")
            return services.views.render(
                .list,
                ListPage.Model(
                    page: page, person: PersonModel(list.owner),
                    updated: list.owner.listUpdatedAt.map { TimeModel($0) },
                    entries: list.entries.map { EntryModel($0) },
                    hasEntries: !list.entries.isEmpty,
                    bio: list.owner.bio.isEmpty ? nil : list.owner.bio, isOwner: false,
                    isUnlisted: false, isPrivate: false,
                    shareText: "fave.example\(path)",
                    embedCode: EmbedCode(list, publicURL: "https://fave.example").html))
        }
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
        #expect(!html.contains("<script>"))
        let quoteWithMark = Array("\"\u{301}".utf8)
        #expect(Array(html.utf8).firstRange(of: quoteWithMark) == nil)
        try Snapshot.expect(html, is: "list-five")
    }

    @Test("written from right to left")
    func rightToLeft() async throws {
        try Snapshot.expect(await render(Fixture.rightToLeft), is: "list-right-to-left")
    }
}

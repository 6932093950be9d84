import FaveGames
import Foundation
import HTTP
import Languages
import TestSupport
import Testing
import Views

@testable import Web

@Suite("The weight of a page", .blocking)
struct PageWeightTests {
    private static let games = (0..<50).map {
        Game(
            id: 100_000 + $0, name: GameTitle("The Legend of Something \($0)"), releaseYear: 2017,
            coverImageID: "co1x7\($0)")
    }

    private static func list(_ number: Int = 1, comment: String = "") -> FaveList {
        FaveList(
            owner: Fixture.user("person-\(number)", "Person Number \(number)"),
            entries: games.prefix(5).enumerated().map {
                Fixture.entry($0 + 1, $1, Fixture.playStation, comment)
            })
    }

    private static let comment = """
        We played this one summer until the sun came up, and I still hum its music on the way home. \
        Nothing since has made me laugh out loud as often, or made me put the controller down to think.
        """

    /// Checks the size of a page with all that a browser loads for it first, but for covers.
    private static func expect(
        _ page: [UInt8], with files: [String], at location: SourceLocation = #_sourceLocation
    ) throws {
        let gzip = Gzip(level: 6)
        let assets = try (["site.css", "site.js", "suggestions.js"] + files).map { name in
            let file = URL(fileURLWithPath: "\(TestDatabase.assetsFolder)/\(name)")
            let contents = try [UInt8](Data(contentsOf: file))
            // A font is compressed in itself.
            return try name.hasSuffix(".woff2")
                ? contents.count : #require(gzip.compress(contents)).count
        }
        let sizes = try [#require(gzip.compress(page)).count] + assets
        #expect(sizes.reduce(0, +) < 25_000, "\(sizes)", sourceLocation: location)
    }

    private static func render(
        _ path: String, _ content: @Sendable (Services) throws -> View
    ) async throws -> [UInt8] {
        try await Services.forPages { services in
            var page = PageModel(
                Words(name: "Page"), description: Words(name: "A page."), path: path,
                context: PageContext(services, .en))
            page.hasSearch = path != "/"
            return HTML(.layout(page, try content(services)), in: .en).bytes
        }
    }

    @Test("of home stays under 25 KB with its style and scripts, compressed, however full it is")
    func home() async throws {
        try await Self.expect(
            Self.render("/") { _ in
                .home(
                    best: FoundEntry(
                        game: Self.games[0],
                        inclusion: Inclusion(
                            id: UUID(), userID: UUID(), username: "person-1",
                            displayName: "Person Number 1", position: 1,
                            platform: Fixture.playStation, comment: Self.comment, hearts: 12_345,
                            createdAt: Fixture.date, updatedAt: Fixture.date)),
                    featured: WebSettings.defaultFeaturedPlatforms.map { _ in
                        PlatformTop(
                            platform: Fixture.playStation,
                            games: Self.games.prefix(5).map { Fixture.ranked($0, 1, 12_345) })
                    },
                    recent: (0..<6).map { Self.list($0).summary },
                    lead: SiteIdentity().description, signUp: .open, covers: .igdb)
            }, with: ["noto-serif.woff2"])
    }

    @Test("of a list does so with the font of its comments")
    func list() async throws {
        let list = Self.list(comment: Self.comment)
        try await Self.expect(
            Self.render("/@person-1") { _ in
                .list(
                    list, isOwner: false,
                    embedCode: "<iframe></iframe>",
                    tools: ListPage.tools(for: list, isOwner: false), hearts: Hearts(),
                    visitor: nil, isGuest: true, covers: .igdb)
            }, with: ["noto-serif.woff2"])
    }

    @Test("of a ranking does so with the font of its comments")
    func ranking() async throws {
        let quote = Quote(
            userID: UUID(), username: "rob", displayName: "Rob", comment: Self.comment)
        let rows = RankingRow.rows(
            Self.games.enumerated().map { index, game in
                Fixture.ranked(
                    game, index + 1, 12_345 - index * 17, index < 5 ? [quote] : [])
            }, on: Fixture.playStation)
        try await Self.expect(
            Self.render("/platforms/ps4--1") { _ in
                .ranking(
                    of: Fixture.playStation, top: Array(rows.prefix(5)),
                    rest: Array(rows.dropFirst(5)),
                    pager: Pager(path: "/platforms/ps4--1", next: nil, isFirst: true), list: nil,
                    covers: .igdb)
            }, with: ["noto-serif.woff2"])
    }
}

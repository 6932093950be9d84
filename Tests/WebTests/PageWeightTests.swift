import FaveGames
import Foundation
import HTTP
import TestSupport
import Testing
import Views

@testable import Web

@Suite("The weight of the home page")
struct PageWeightTests {
    @Test("stays under 25 KB with its style and scripts, compressed, however full it is")
    func home() async throws {
        let games = (0..<5).map {
            Game(
                id: 100_000 + $0, name: "The Legend of Something \($0)", releaseYear: 2017,
                coverImageID: "co1x7\($0)")
        }
        let lists = (0..<6).map { number in
            FaveList(
                owner: Fixture.user("somebody-\(number)", "Somebody Number \(number)"),
                entries: games.enumerated().map {
                    Fixture.entry($0 + 1, $1, Fixture.playStation)
                })
        }
        let page = try await Services.forPages { services in
            var page = PageModel(
                "Home", description: "Home", path: "/", context: PageContext(services))
            page.hasSearch = false
            return HTML.layout(
                page,
                .home(
                    featured: WebSettings.defaultFeaturedPlatforms.map { _ in
                        PlatformTop(
                            platform: Fixture.playStation,
                            games: games.map { Fixture.ranked($0, 1, 12_345) })
                    },
                    recent: lists.map(\.summary)))
        }
        let assets = try ["site.css", "site.js", "suggestions.js"].map { name in
            let file = URL(fileURLWithPath: "\(TestDatabase.assetsFolder)/\(name)")
            return try [UInt8](Data(contentsOf: file))
        }
        let gzip = Gzip(level: 6)
        let sizes = try ([page.bytes] + assets).map { try #require(gzip.compress($0)).count }
        #expect(sizes.reduce(0, +) < 25_000, "\(sizes)")
    }
}

import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("What a page says to machines", .blocking)
struct StructuredDataTests {
    private let lists: SharedLists
    private let world: World

    init() async throws {
        lists = try await SharedLists.shared
        world = try await World.shared
    }

    private func data(_ response: RawResponse) throws -> [String: Any] {
        let parts = response.text.components(separatedBy: "<script type=\"application/ld+json\">")
        try #require(parts.count == 2)
        let block = try #require(parts[1].components(separatedBy: "</script>").first)
        for scalar in block.unicodeScalars {
            #expect(!["<", ">", "&", "\u{2028}", "\u{2029}"].contains(scalar))
        }
        return try #require(
            try JSONSerialization.jsonObject(with: Data(block.utf8)) as? [String: Any])
    }

    @Test("of a list is its entries, in their order")
    func list() throws {
        let list = try data(world.get("/@rob"))
        #expect(list.string("@context") == "https://schema.org")
        #expect(list.string("@type") == "ItemList")
        #expect(list.string("name") == "rob’s favourite games")
        #expect(list.string("url") == "https://fave.example/@rob")
        #expect(list.int("numberOfItems") == 3)
        let items = list.objects("itemListElement")
        #expect(items.map { $0.int("position") } == [1, 2, 3])
        #expect(items.allSatisfy { $0.string("@type") == "ListItem" })
        let game = items[0].object("item")
        #expect(game.string("@type") == "VideoGame")
        #expect(game.string("name") == "Portal")
        #expect(game.string("url") == "https://fave.example/games/71")
        #expect(game.string("gamePlatform") == "PC (Microsoft Windows)")
    }

    @Test("of a ranking is its games, on the first page")
    func ranking() throws {
        let ranking = try data(world.get("/platforms/ps3"))
        #expect(ranking.string("name") == "Most loved games on PlayStation 3")
        #expect(ranking.string("url") == "https://fave.example/platforms/ps3")
        #expect(ranking.objects("itemListElement").map { $0.int("position") } == Array(1...50))
        let html = try world.get("/platforms/ps3").text
        let next = try #require(html.firstMatch(of: /href="([^"]+)" rel="next"/))
        #expect(try !world.get(String(next.1)).text.contains("ld+json"))
        #expect(try !world.get("/platforms/switch").text.contains("ld+json"), "there is none")
    }

    @Test("is left by nothing that someone wrote")
    func evil() throws {
        let response = try lists.get("/@evil")
        let list = try data(response)
        let name = "\(SharedLists.evilName)’s favourite games"
        #expect(list.string("name").map { Array($0.utf8) } == Array(name.utf8))
        #expect(response.text.components(separatedBy: "</script").count == 3, "ours, and this")
        #expect(response.text.contains("\\u003c/script\\u003e\\u003cb\\u003e"))
    }

    @Test("is for those only whom search engines may show", arguments: ["quiet", "bare"])
    func others(name: String) throws {
        #expect(try !lists.get("/@\(name)").text.contains("ld+json"))
    }
}

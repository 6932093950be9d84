import Foundation
import ShareCard
import TestSupport
import Testing

@Suite("The pages to share from", .blocking)
struct SharePageTests {
    @Test("show the link, and the pictures of a list in every format")
    func list() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            let browser = Browser(rob.server)
            let page = try browser.get("/@rob/share").text
            let cards = page.matches(of: /href="(\/@rob\/card-[^"]+)" download="([^"]+)"/)
            #expect(
                cards.map { String($0.2) } == [
                    "fave-games-rob-wide.png", "fave-games-rob-portrait.png",
                    "fave-games-rob-story.png",
                ])
            for card in cards {
                let picture = try browser.get(String(card.1))
                #expect(picture.status == 200)
                #expect(picture["content-type"] == "image/png")
            }
            #expect(page.contains("1. Portal, PC (Microsoft Windows)"))
            #expect(!page.contains("Saved."), "only its owner has saved it")
            #expect(try browser.get("/@rob/share?saved").text.contains("Saved.") == false)
            // The old and the former addresses lead to the current ones.
            for old in ["card-0.png", "card-portrait-0.png", "card-story-0.png"] {
                let moved = try browser.get("/@rob/\(old)")
                #expect(moved.status == 307)
                #expect(cards.contains { moved["location"] == String($0.1) }, "\(old)")
            }
            #expect(try browser.get("/@rob/card-x-0.gif").status == 404)
        }
    }

    @Test("are reached by a link near the top of the list")
    func link() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            let page = try Browser(rob.server).get("/@rob").text
            let share = try #require(page.range(of: "href=\"/@rob/share\""))
            let first = try #require(page.range(of: "class=\"faves\""))
            #expect(share.lowerBound < first.lowerBound)
        }
    }

    @Test("show a ranking's first games")
    func ranking() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            let browser = Browser(rob.server)
            #expect(try browser.get("/platforms/win").text.contains("/platforms/win/share"))
            let page = try browser.get("/platforms/win/share").text
            let cards = page.matches(of: /href="(\/platforms\/win\/card-[^"]+)"/)
            #expect(cards.count == 3)
            for card in cards { #expect(try browser.get(String(card.1)).status == 200) }
            #expect(try browser.get("/platforms/none/share").status == 404)
        }
    }

    @Test("show nothing of a list that only its owner may see")
    func hidden() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            _ = try rob.server.database.session().query("UPDATE users SET visibility = 'private'")
            let browser = Browser(rob.server)
            #expect(try browser.get("/@rob/share").status == 404)
            #expect(try browser.get("/@rob/card-story-0.png").status == 404)
        }
    }
}

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
                    "fave-games-rob-portrait-light.jpg", "fave-games-rob-portrait-dark.jpg",
                    "fave-games-rob-story-light.jpg", "fave-games-rob-story-dark.jpg",
                    "fave-games-rob-poster-light.jpg", "fave-games-rob-poster-dark.jpg",
                    "fave-games-rob-wide.png",
                ])
            var pictures: Set<[UInt8]> = []
            for card in cards {
                let picture = try browser.get(String(card.1))
                #expect(picture.status == 200)
                let isPNG = card.2.hasSuffix(".png")
                #expect(picture["content-type"] == (isPNG ? "image/png" : "image/jpeg"))
                #expect(picture.bytes.starts(with: isPNG ? [0x89, 0x50] : [0xFF, 0xD8]))
                pictures.insert(picture.bytes)
            }
            #expect(pictures.count == 7)
            // The preview is wide, like the page's own.
            let preview = try #require(page.firstMatch(of: /class="preview" src="([^"]+)"/))
            #expect(preview.1 == cards.last?.1)
            let list = try browser.get("/@rob").text
            #expect(
                list.contains("property=\"og:image\" content=\"https://fave.example\(preview.1)"))
            #expect(page.contains("1. Portal, PC\""))
            #expect(!page.contains("Saved."), "only its owner has saved it")
            #expect(try browser.get("/@rob/share?saved").text.contains("Saved.") == false)
            // Without a script, the address can be copied from its field.
            #expect(page.contains("value=\"https://fave.example/@rob\" readonly"))
            #expect(page.contains("View the list") && !page.contains(">Edit<"))
            // The old and the former addresses lead to the current ones.
            for old in [
                "card-0.png", "card-portrait-0.jpg", "card-story-0.jpg", "card-story-dark-0.jpg",
                "card-poster-dark-0.jpg",
            ] {
                let moved = try browser.get("/@rob/\(old)")
                #expect(moved.status == 307)
                #expect(cards.contains { moved["location"] == String($0.1) }, "\(old)")
            }
            for wrong in [
                "card-x-0.gif", "card-story-0.png", "card-0.jpg", "card-dark-0.jpg",
                "card-wide-dark-0.jpg", "card-story-dark-.png",
            ] {
                #expect(try browser.get("/@rob/\(wrong)").status == 404, "\(wrong)")
            }
            // What is no theme is part of the digest, which is wrong.
            let other = try browser.get("/@rob/card-story-sepia-0.jpg")
            #expect(other.status == 307 && other["location"]?.contains("sepia") == false)
        }
    }

    @Test("show the link as a QR code, with a text for those who can't see it")
    func code() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6)])
            let browser = Browser(rob.server)
            for (path, link) in [("/@rob", "/@rob"), ("/platforms/win", "/platforms/win")] {
                let address = "https://fave.example" + link
                let page = try browser.get(path + "/share").text
                let code = try #require(QRCode(address))
                #expect(page.contains("role=\"img\" aria-label=\"QR code of \(address)\""))
                #expect(page.contains("viewBox=\"0 0 \(code.side) \(code.side)\""))
                #expect(page.contains("<path d=\"\(code.path)\"/>"))
            }
        }
    }

    @Test("tell their owner who has just saved what comes next, and say it once")
    func saved() async throws {
        try await TestServer.run { server in
            let rob = Browser(server)
            try rob.signUp("rob")
            let session = try server.database.session()
            func pick(_ games: [Int]) throws {
                let user = try session.query("SELECT id::text FROM users")[0][0] ?? ""
                try session.execute("DELETE FROM entries WHERE user_id = '\(user)'")
                for (index, game) in games.enumerated() {
                    _ = try session.query(
                        """
                        INSERT INTO entries (user_id, position, game_id, platform_id)
                        VALUES ($1::text::uuid, $2::text::integer, $3::text::integer, 6)
                        """, [.text(user), .text("\(index + 1)"), .text("\(game)")])
                }
            }
            try pick([71])
            func page(_ query: String = "?saved") throws -> String {
                try rob.get("/@rob/share" + query).text
            }
            let offer = "If you forget your password"
            let first = try page()
            #expect(first.contains("<h1>Saved. Now show it to someone.</h1>"))
            #expect(first.contains("View your list") && first.contains(">Edit<"))
            #expect(first.contains(offer) && first.contains("href=\"/settings#recovery\""))
            #expect(first.contains("href=\"/settings/passkeys\""))
            #expect(!first.contains("Your link works now."))
            #expect(try !page("").contains(offer))

            try session.execute("UPDATE users SET new_until = '2999-12-24'")
            let early = try page()
            #expect(early.contains("You’ll show up in search and rankings from <time"))
            #expect(early.contains(">24 Dec 2999</time>"))
            #expect(try !page("").contains("Your link works now."))
            try session.execute("UPDATE users SET visibility = 'unlisted'")
            #expect(try !page().contains("Your link works now."))

            // Who has a way back in needs no other.
            for (table, values) in [
                ("recovery_codes (user_id, hash)", "sha256('x')"),
                (
                    "passkeys (user_id, credential_id, public_key, counter, name)",
                    "sha256('x'), 'x', 0, 'Phone'"
                ),
            ] {
                try session.execute("INSERT INTO \(table) SELECT id, \(values) FROM users")
                #expect(try !page().contains(offer), "\(table)")
                let name = table.prefix { $0 != " " }
                try session.execute("DELETE FROM \(name)")
                #expect(try page().contains(offer))
            }
            try pick([71, 72])
            #expect(try !page().contains(offer), "the list was saved before")
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
            #expect(cards.count == 7)
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
            #expect(try browser.get("/@rob/card-story-0.jpg").status == 404)
        }
    }
}

import Foundation
import TestSupport
import Testing

@Suite("The preview", .blocking)
struct PreviewTests {
    private func meta(_ name: String, in html: String) -> String? {
        html.matches(of: /<meta (?:property|name)="([^"]+)" content="([^"]*)">/)
            .first { $0.1 == name }.map { String($0.2) }
    }

    /// The target of a page's picture, which must be a PNG for link previews.
    @discardableResult
    private func picture(
        of page: String, _ server: TestServer, at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let html = try server.send("GET", page).text
        #expect(meta("twitter:card", in: html) == "summary_large_image", sourceLocation: location)
        let address = try #require(meta("og:image", in: html), sourceLocation: location)
        try #require(address.hasPrefix("https://fave.example/"), sourceLocation: location)
        var target = String(address.dropFirst("https://fave.example".count))
        var response = try server.send("GET", target)
        // The home page names the latest card, whatever that is.
        if response.status == 307, let latest = response["location"] {
            target = latest
            response = try server.send("GET", target)
        }
        try #require(response.status == 200, "\(target)", sourceLocation: location)
        #expect(response["content-type"] == "image/png", sourceLocation: location)
        #expect(
            response.bytes.dropFirst(16).prefix(8) == [0, 0, 4, 0xB0, 0, 0, 2, 0x76],
            sourceLocation: location)
        return target
    }

    @Test("of the home page and of a ranking is a picture that changes with the games")
    func games() async throws {
        try await Person.with { rob in
            let server = rob.server
            let empty = try picture(of: "/", server)
            try rob.put([(71, 6), (120, 48)])
            let full = try picture(of: "/", server)
            #expect(full != empty)
            let old = try server.send("GET", empty)
            #expect(old.status == 307)
            #expect(old["location"] == full)
            #expect(try server.send("GET", full)["cache-control"] == "public, max-age=300")
            #expect(try picture(of: "/platforms/win", server).hasPrefix("/platforms/win/card-"))
        }
    }

    /// Makes a circle of Mara's, and an invitation to it.
    private func withCircle(
        _ visibility: String,
        _ body: (TestServer, _ mara: Browser, _ circle: String, _ link: String) throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let mara = Browser(server)
            try mara.signUp("mara")
            let session = try server.database.session()
            try session.execute(
                """
                UPDATE users SET display_name = 'Mara';
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT id, 1, 71, 6 FROM users
                """)
            try mara.get("/circles/new")
            let made = try mara.post(
                "/circles/new",
                [
                    "name": "Book club", "description": "We meet every Thursday.",
                    "visibility": visibility,
                ])
            let settings = try #require(made["location"])
            let end = try #require(settings.range(of: "/settings"))
            let circle = String(settings[..<end.lowerBound])
            try mara.get(circle + "/settings")
            let invited = try mara.post(circle + "/invitations", ["uses": "20", "days": "7"])
            let link = try #require(
                invited.text.firstMatch(
                    of: /https:\/\/fave\.example(\/circles\/join\?invitation=[\w-]{43})/))
            try body(server, mara, circle, String(link.1))
        }
    }

    @Test("of an invitation tells who invites to what, and nothing of the members")
    func invitation() async throws {
        try await withCircle("members") { server, mara, circle, link in
            let html = try server.send("GET", link).text
            #expect(
                meta("og:description", in: html) == "Mara invites you: “We meet every Thursday.”")
            #expect(meta("og:title", in: html) == "Join Book club")
            #expect(meta("og:url", in: html) == nil)
            #expect(html.contains("<meta name=\"robots\" content=\"noindex\">"))
            #expect(!html.contains("Portal"))

            let target = try picture(of: link, server)
            let token = String(link.suffix(43))
            #expect(!target.contains(token), "nobody can join with the picture's address")
            let response = try server.send("GET", target)
            #expect(response["cache-control"]?.contains("no-store") == true)
            #expect(response["x-robots-tag"]?.contains("noindex") == true)

            // Another address leads to it, and one without the invitation nowhere.
            let query = target.drop { $0 != "?" }
            let moved = try server.send("GET", "/circles/join/card-0.png" + query)
            #expect(moved.status == 307)
            #expect(moved["location"] == target)
            let path = String(target.prefix { $0 != "?" })
            for wrong in [
                "", "?offer=", "?offer=\(token)", "?offer=x",
                "?offer=" + String(repeating: "A", count: 43),
            ] {
                #expect(try server.send("GET", path + wrong).status == 403, "\(wrong)")
            }
            // The circle itself has no picture for those outside.
            #expect(try server.send("GET", circle).status == 404)
            #expect(try server.send("GET", circle + "/card-0.png").status == 404)
            #expect(try mara.get(circle + "/card-0.png").status == 404)

            try server.database.session().execute("UPDATE circle_invitations SET uses_left = 0")
            #expect(try server.send("GET", target).status == 403)
        }
    }

    @Test("of a public circle is a picture of its games")
    func circle() async throws {
        try await withCircle("public") { server, _, circle, _ in
            let target = try picture(of: circle, server)
            #expect(target.hasPrefix(circle + "/card-"))
            try server.database.session().execute(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT id, 2, 120, 48 FROM users
                """)
            #expect(try picture(of: circle, server) != target)
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import Web

/// A site where three people love a game that is marked as for adults only, looked through before and
/// after it is hidden.
@Suite("Games for adults", .blocking)
struct AdultGamesWebTests {
    private static let name = "Velvet Nights"
    private static let id = 1_900_001

    /// A server, and the people who are signed in to it.
    private struct Site {
        let server: TestServer
        let cookies: [String: [String: String]]
        /// What the addresses of routes have in the place of `{…}`.
        let values: [String: String]

        func get(_ target: String, as person: String? = nil) async throws -> RawResponse {
            if target.hasPrefix("/api/") || person == nil {
                let token =
                    if let person { try await server.token(of: person) } else { nil as String? }
                return try server.send("GET", target, token: token)
            }
            let browser = Browser(server)
            browser.cookies = cookies[person ?? ""] ?? [:]
            return try browser.get(target)
        }

        /// Every address that can be read, and some with queries.
        var addresses: [String] {
            Routes.all.filter { $0.method == .get }.map { route in
                var values = values
                if route.pattern.hasPrefix("/api/") { values["circle"] = values["circleID"] }
                return values.reduce(route.pattern) {
                    $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value)
                }
            } + [
                "/games?search=velvet", "/games?search=velvt+nights", "/games?search=ve",
                "/me?search=velvet", "/entries?game=\(id)", "/entries?gameName=velvet",
                "/entries?username=rob", "/entries?search=silk", "/users?search=rob",
                "/me?add=\(id)",
                "/api/v1/games?search=velvet", "/api/v1/games?ids=\(id)",
                "/api/v1/games?search=velvet&platform=6", "/api/v1/games?tag=smooth",
                "/api/v1/entries?game=\(id)", "/api/v1/entries?username=rob",
                "/api/v1/entries?tag=smooth", "/api/v1/users?search=rob",
                "/api/v0/games?search=velvet", "/api/v0/games?ids=\(id)",
                "/sitemap.xml?part=games-190", "/oembed?url=https://fave.example/@rob",
            ]
        }

        /// The addresses that show the game, or refer to it.
        func seen(by person: String?) async throws -> Set<String> {
            var found: Set<String> = []
            for address in addresses {
                let response = try await get(address, as: person)
                #expect(response.status < 500, "\(address)")
                let text = response.text
                if text.contains(name) || text.contains("/games/\(id)\"")
                    || text.contains("/games/\(id)<")
                {
                    found.insert(address)
                }
            }
            return found
        }
    }

    /// Makes the site's people, while it shows the game.
    private func fill(_ server: TestServer) async throws -> Site {
        let session = try server.database.session()
        try session.execute(
            """
            INSERT INTO games (id, name, cover_image_id, adult_theme, rating_count)
            VALUES (\(Self.id), '\(Self.name)', 'covelvet', true, 5000);
            INSERT INTO game_platforms (game_id, platform_id) VALUES (\(Self.id), 6)
            """)
        var cookies: [String: [String: String]] = [:]
        for person in ["rob", "ada", "ann", "eve"] {
            let browser = Browser(server)
            try browser.signUp(person)
            cookies[person] = browser.cookies
            guard person != "eve" else { continue }
            let list = #"""
                {"entries": [
                    {"gameId": \#(Self.id), "platformId": 6, "comment": "Like silk.", "tags": ["smooth"]},
                    {"gameId": 71, "platformId": 6, "comment": "The cake."}
                ]}
                """#
            let saved = try server.send(
                "PUT", "/api/v1/me/list", token: try await server.token(of: person),
                fields: [("If-Match", "*")], json: list)
            #expect(saved.status == 200, "\(saved.text)")
        }
        func post(_ target: String, _ json: String = "{}", as person: String) async throws
            -> RawResponse
        {
            let response = try server.send(
                "POST", target, token: try await server.token(of: person), json: json)
            #expect(response.status < 300, "\(target): \(response.text)")
            return response
        }
        let snapshot = try await post("/api/v1/me/snapshots", #"{"title": "Now"}"#, as: "rob")
        let slug = try #require(try snapshot.object["slug"] as? String)
        for person in ["ada", "eve"] {
            let followed = try server.send(
                "PUT", "/api/v1/me/following/rob", token: try await server.token(of: person))
            #expect(followed.status < 300)
        }
        let circle = try await post(
            "/api/v1/circles",
            #"{"name": "Club", "description": "", "visibility": "public"}"#, as: "rob")
        let circleID = try #require(try circle.object["id"] as? String)
        let circleSlug: String = try session.query("SELECT slug FROM circles")[0][0]
        try session.execute(
            """
            INSERT INTO circle_members (circle_id, user_id, seat, place)
            SELECT c.id, u.id, 2, 1 FROM circles c, users u WHERE u.username = 'ada'
            """)
        let entry: UUID = try session.query(
            """
            SELECT e.id FROM entries e JOIN users u ON u.id = e.user_id
            WHERE u.username = 'rob' AND e.position = 1
            """)[0][0]
        let owner: String = try session.query(
            "SELECT user_digest(id) FROM users WHERE username = 'rob'")[0][0]
        return Site(
            server: server, cookies: cookies,
            values: [
                "username": "rob", "platform": "win", "game": String(Self.id), "snapshot": slug,
                "circle": circleSlug, "entry": entry.text, "user": owner,
                "circleID": circleID, "card": "0.png",
            ])
    }

    @Test(
        "are on no page and in no response of the API while they are hidden, but on their owner's")
    func hiding() async throws {
        let database = try TestDatabase(.seeded)
        let filled = try await TestServer.run(on: database, settings: ["ADULT_GAMES": "shown"]) {
            let site = try await fill($0)
            let seen = try await site.seen(by: nil)
            // Otherwise the rest would prove little.
            for address in [
                "/", "/@rob", "/@rob/embed", "/@rob/feed", "/@rob/\(site.values["snapshot"] ?? "")",
                "/games/\(Self.id)", "/platforms/win", "/platforms/win/feed", "/entries",
                "/games?search=velvet", "/api/v1/lists", "/api/v1/entries",
                "/api/v1/games/\(Self.id)", "/api/v1/users/rob/list", "/api/v1/games?search=velvet",
                "/circles/\(site.values["circle"] ?? "")", "/sitemap.xml?part=games-190",
            ] { #expect(seen.contains(address), "\(address)") }
            #expect(
                try await site.seen(by: "eve").isSuperset(of: ["/following", "/me?search=velvet"]))
            return site
        }
        try await TestServer.run(on: database) { server in
            let site = Site(server: server, cookies: filled.cookies, values: filled.values)
            #expect(try await site.seen(by: nil) == [])
            #expect(try await site.seen(by: "eve") == [], "someone who follows an owner")
            #expect(try database.brokenRules() == [])
            try await expectOwnersEntry(site)
            let refused = try await addGame(Self.id, site)
            let unknown = try await addGame(1_900_002, site)
            #expect(refused.status == unknown.status)
            #expect(
                try refused.object["detail"] as? String == "Game \(Self.id) is unknown here.")
            #expect(try unknown.object["detail"] as? String == "Game 1900002 is unknown here.")
        }
        try await TestServer.run(on: database, settings: ["ADULT_GAMES": "shown"]) { server in
            let site = Site(server: server, cookies: filled.cookies, values: filled.values)
            let seen = try await site.seen(by: nil)
            #expect(seen.contains("/platforms/win"))
        }
        #expect(try database.brokenRules() == [])
    }

    private func addGame(_ id: Int, _ site: Site) async throws -> RawResponse {
        try site.server.send(
            "POST", "/api/v1/me/list/entries", token: try await site.server.token(of: "eve"),
            fields: [("If-Match", "*")], json: #"{"gameId": \#(id), "platformId": 6}"#)
    }

    private func expectOwnersEntry(_ site: Site) async throws {
        for address in ["/@rob", "/@rob/\(site.values["snapshot"] ?? "")"] {
            let page = try await site.get(address, as: "rob").text
            #expect(page.contains("Only you see this game"), "\(address)")
            #expect(!page.contains("/games/\(Self.id)\""), "\(address): a page that isn't there")
        }
        for address in ["/me", "/api/v1/me/list", "/api/v1/me/export", "/api/v1/me/list.csv"] {
            #expect(try await site.get(address, as: "rob").text.contains(Self.name), "\(address)")
        }
        for address in ["/@rob/share", "/@rob/\(site.values["snapshot"] ?? "")/share"] {
            let response = try await site.get(address, as: "rob")
            #expect(response.status == 200)
            #expect(!response.text.contains(Self.name), "\(address): it is for others")
        }
        let kept = try site.server.send(
            "PUT", "/api/v1/me/list", token: try await site.server.token(of: "rob"),
            fields: [("If-Match", "*")],
            json: #"""
                {"entries": [
                    {"gameId": 71, "platformId": 6},
                    {"gameId": \#(Self.id), "platformId": 6, "comment": "Still silk."}
                ]}
                """#)
        #expect(kept.status == 200, "\(kept.text)")
        #expect(try await site.get("/@rob").text.contains("Portal"))
        #expect(try await !site.get("/@rob").text.contains("silk"))
    }
}

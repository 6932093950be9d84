import Endpoints
import FaveGames
import Languages
import Logging
import ShareCard
import TestSupport
import Testing
import Work
@testable import Views

@testable import Web

@Suite("The card of a list", .blocking)
struct ListCardTests {
    /// A server with Rob, who loves Portal.
    private func withRob(_ body: (TestServer, String) async throws -> Void) async throws {
        try await TestServer.run { server in
            let token = try await server.makeUser("rob")
            try put(server, token, games: [71])
            try await body(server, token)
        }
    }

    private func put(_ server: TestServer, _ token: String, games: [Int]) throws {
        let entries = games.map { #"{"gameId": \#($0), "platformId": 6}"# }
        let response = try server.send(
            "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
            json: #"{"entries": [\#(entries.joined(separator: ", "))]}"#)
        try #require(response.status == 200, "\(response.text)")
    }

    private func meta(_ name: String, in html: String) -> String? {
        html.matches(of: /<meta (?:property|name)="([^"]+)" content="([^"]*)">/)
            .first { $0.1 == name }.map { String($0.2) }
    }

    /// The path of the card on someone's page.
    private func cardPath(_ server: TestServer, _ username: String = "rob") throws -> String {
        let html = try server.send("GET", "/@\(username)").text
        let address = try #require(meta("og:image", in: html))
        try #require(address.hasPrefix("https://fave.example/@\(username)/card-"))
        return String(address.dropFirst("https://fave.example".count))
    }

    @Test("stands in the list's page, with all that previews need")
    func tags() async throws {
        try await withRob { server, _ in
            let html = try server.send("GET", "/@rob").text
            let address = try #require(meta("og:image", in: html))
            #expect(
                address.wholeMatch(of: /https:\/\/fave\.example\/@rob\/card-[0-9a-f]{32}\.png/)
                    != nil)
            #expect(meta("og:image:type", in: html) == "image/png")
            #expect(meta("og:image:width", in: html) == "1200")
            #expect(meta("og:image:height", in: html) == "630")
            let words = "rob’s favourite games: 1. Portal, PC"
            #expect(meta("og:image:alt", in: html) == words)
            #expect(meta("twitter:card", in: html) == "summary_large_image")
            #expect(meta("twitter:image", in: html) == address)
            #expect(meta("twitter:image:alt", in: html) == words)

            try server.database.session().query(
                "UPDATE games SET cover_image_id = 'co1x7d' WHERE id = 71")
            let game = try server.send("GET", "/games/71").text
            #expect(meta("twitter:card", in: game) == "summary")
            #expect(meta("og:image:type", in: game) == "image/jpeg")
            #expect(meta("twitter:image", in: game)?.hasSuffix(".jpg") == true)
        }
    }

    @Test("is a PNG that anybody may keep for ever")
    func picture() async throws {
        try await withRob { server, _ in
            let path = try cardPath(server)
            let response = try server.send("GET", path)
            #expect(response.status == 200)
            #expect(response["content-type"] == "image/png")
            #expect(response["cache-control"] == "public, max-age=300")
            #expect(response["content-length"] == String(response.bytes.count))
            #expect(response["x-content-type-options"] == "nosniff")
            #expect(response["vary"] == nil)
            #expect(response["set-cookie"] == nil)
            // Signature, then the first chunk with width and height.
            #expect(response.bytes.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10])
            #expect(response.bytes[16..<24] == [0, 0, 4, 0xB0, 0, 0, 2, 0x76])

            let head = try server.send("HEAD", path)
            #expect(head.status == 200)
            #expect(head["content-length"] == response["content-length"])
            #expect(head["etag"] == response["etag"])
            #expect(head.bytes.isEmpty)
            let tag = try #require(response["etag"])
            let known = try server.send("GET", path, fields: [("If-None-Match", tag)])
            #expect(known.status == 304)
            #expect(known["cache-control"] == response["cache-control"])
            #expect(known.bytes.isEmpty)
        }
    }

    @Test("has another address when the list has changed, to which the old one leads")
    func change() async throws {
        try await withRob { server, token in
            let old = try cardPath(server)
            try put(server, token, games: [71, 120])
            let new = try cardPath(server)
            #expect(new != old)
            for path in [old, "/@rob/card-.png", "/@rob/card-x.png", "/@ROB" + new.dropFirst(5)] {
                let response = try server.send("GET", path)
                #expect(response.status == 307, "\(path)")
                #expect(response["location"] == new)
                #expect(response["cache-control"] == "no-store")
            }
            #expect(try server.send("GET", new).status == 200)
            // What is not shown changes nothing.
            let rated = try server.send(
                "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
                json: """
                    {"entries": [{"gameId": 71, "platformId": 6, "rating": 5},
                    {"gameId": 120, "platformId": 6}]}
                    """)
            #expect(rated.status == 200)
            #expect(try cardPath(server) == new)
        }
    }

    @Test("costs much to draw, and little once it is drawn")
    func cost() async throws {
        let settings = [
            "PAGES_PER_MINUTE": "14", "CACHE_MEGABYTES": "0", "TRUSTED_PROXIES": "127.0.0.1",
        ]
        try await TestServer.run(settings: settings) { server in
            let token = try await server.makeUser("rob")
            try put(server, token, games: [71])
            let path = try cardPath(server)
            func count(_ address: String) throws -> Int {
                try (0..<20).map { _ in
                    try server.send("GET", path, fields: [("X-Forwarded-For", address)]).status
                }.prefix { $0 == 200 }.count
            }
            let drawing = AllowedRequests(4, perMinute: 14)
            let first = try count("192.0.2.1")
            #expect(drawing.contains(first), "one for eleven units, and three for one: \(first)")
            let reading = AllowedRequests(14)
            let second = try count("192.0.2.2")
            #expect(reading.contains(second), "it is drawn already: \(second)")
        }
    }

    @Test("of an empty list says so")
    func empty() async throws {
        try await withRob { server, token in
            try put(server, token, games: [])
            let html = try server.send("GET", "/@rob").text
            #expect(
                meta("og:image:alt", in: html)
                    == "rob is still choosing their five favourite games.")
            #expect(try server.send("GET", try cardPath(server)).status == 200)
        }
    }

    @Test("of an unlisted list is there for whoever has the link")
    func unlisted() async throws {
        try await withRob { server, _ in
            try server.database.session().query("UPDATE users SET visibility = 'unlisted'")
            #expect(try server.send("GET", try cardPath(server)).status == 200)
        }
    }

    @Test("of a private list is not there for anybody, and its page has none")
    func privateList() async throws {
        try await TestServer.run { server in
            let browser = Browser(server)
            try browser.signUp("rob")
            let path = try cardPath(server)
            #expect(try server.send("GET", path).status == 200)
            try server.database.session().query("UPDATE users SET visibility = 'private'")
            let page = try browser.get("/@rob")
            #expect(page.status == 200)
            #expect(meta("og:image", in: page.text) == nil)
            for response in [try server.send("GET", path), try browser.get(path)] {
                #expect(response.status == 404)
                #expect(response["cache-control"] == "no-store")
                #expect(response["location"] == nil)
            }
            #expect(try server.send("GET", "/@rob/card-x.png").status == 404)
        }
    }

    @Test("of someone who is shut out is not there")
    func disabled() async throws {
        try await withRob { server, _ in
            let path = try cardPath(server)
            try server.database.session().query("UPDATE users SET disabled_at = now()")
            #expect(try server.send("GET", "/@rob").status == 404)
            #expect(try server.send("GET", path).status == 404)
        }
    }

    @Test("is found by a former name")
    func renamed() async throws {
        try await withRob { server, token in
            let old = try cardPath(server)
            let renamed = try server.send(
                "PATCH", "/api/v1/me", token: token, json: #"{"username": "robert"}"#)
            #expect(renamed.status == 200)
            let first = try server.send("GET", old)
            #expect(first.status == 307)
            let second = try server.send("GET", try #require(first["location"]))
            #expect(second.status == 307)
            #expect(second["location"] == (try cardPath(server, "robert")))
        }
    }

    @Test(
        "is nowhere else",
        arguments: [
            "/@nobody/card-00000000000000000000000000000000.png", "/@rob/card-", "/@rob/card-x",
            "/@rob/card-x.jpg", "/@rob/card", "/@rob/x", "/@rob/card-x.png/", "/@r!/card-x.png",
            "/@rob/card-0000000000000000000000000000000000000000000000000000000000000.png",
        ])
    func nowhere(path: String) async throws {
        #expect(try await World.shared.get(path).status == 404)
    }

    @Test("is asked for again later when too many are being drawn")
    func busy() async throws {
        let full = CardRenderer(on: WorkerPool(threads: 0, queueLimit: 0))
        let error = await #expect(throws: WorkerPool.BusyError.self) {
            try await full.draw(
                ShareCard(Fixture.full, of: SiteIdentity(), at: "fave.example/@rob"))
        }
        let problem = Problem(try #require(error), logger: Logger(label: "test"))
        #expect(problem.status == .serviceUnavailable)
        #expect(problem.headerFields[.retryAfter] == "1")
    }

    @Test("is described in words that fit")
    func words() throws {
        let settings = WebSettings(publicURL: "https://fave.example")
        let model = try #require(PreviewImage(Fixture.full, settings))
        #expect(
            model.alt.string(in: .en).hasPrefix(
                "Rob <the \"Great\"> & Co’s favourite games: 1. Portal, PC"))
        #expect(model.alt.string(in: .en).contains("; 5. Diablo III, PS4"))
        let game = Game(
            id: 1, name: GameTitle(String(repeating: "Long ", count: 200)), releaseYear: nil,
            coverImageID: nil)
        let list = FaveList(
            owner: Fixture.user("ada", "Ada"), entries: [Fixture.entry(1, game, Fixture.pc)])
        let cut = try #require(PreviewImage(list, settings))
        #expect(cut.alt.string(in: .en).count == 420)
        #expect(cut.alt.string(in: .en).hasSuffix("…"))
    }
}

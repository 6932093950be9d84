import TestSupport
import Testing

@Suite("The name of a game in the reader’s language", .blocking)
struct LocalizedNamesTests {
    private static let name = "ゼルダの伝説"
    private static let mainName = "The Legend of Zelda"

    /// A site in two languages with the game 7 on its own platform and on rob's list.
    private static func run(
        _ body: (TestServer, _ token: String) async throws -> Void
    ) async throws {
        try await TestServer.run(.migrated, settings: ["SITE_LANGUAGES": "en,ja,de"]) { server in
            try server.database.session().execute(
                """
                INSERT INTO platforms (id, slug, name) VALUES (1, 'nes', 'NES');
                INSERT INTO games (id, name, localized_names)
                VALUES (7, '\(mainName)', 'ja=\(name)');
                INSERT INTO game_names (game_id, name) VALUES (7, '\(name)');
                INSERT INTO game_platforms (game_id, platform_id) VALUES (7, 1)
                """)
            let token = try await server.makeUser("rob")
            let saved = try server.send(
                "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
                json: #"{"entries": [{"gameId": 7, "platformId": 1, "comment": "Good"}]}"#)
            #expect(saved.status == 200 || saved.status == 204, "\(saved.text)")
            try await body(server, token)
        }
    }

    private static let pages = [
        "/", "/platforms", "/platforms/nes", "/games/7", "/platforms/nes/games/7",
        "/games?search=zelda", "/@rob", "/entries", "/entries?game=7", "/users",
        "/me?add=7", "/me?search=zelda", "/@rob/share", "/platforms/nes/share",
    ]

    @Test("is on each page with the game, and nowhere in other languages")
    func pages() async throws {
        try await Self.run { server, _ in
            for page in Self.pages {
                func text(_ language: String) throws -> String {
                    try server.send("GET", page, fields: [("Accept-Language", language)]).text
                }
                #expect(try text("ja").contains(Self.name), "\(page)")
                for language in ["en", "de"] {
                    let text = try text(language)
                    #expect(text.contains(Self.mainName), "\(page)")
                    #expect(!text.contains(Self.name), "\(page)")
                }
            }
        }
    }

    @Test("is beside the main name where people search and on the game’s own page")
    func both() async throws {
        try await Self.run { server, _ in
            for page in ["/games?search=zelda", "/me?search=zelda", "/games/7"] {
                let text = try server.send("GET", page, fields: [("Accept-Language", "ja")]).text
                #expect(text.contains(Self.name) && text.contains(Self.mainName), "\(page)")
            }
        }
    }

    @Test("is in feeds and embedded lists of someone who has chosen the language")
    func owner() async throws {
        try await Self.run { server, _ in
            for page in ["/@rob/feed", "/@rob/embed"] {
                #expect(try !server.send("GET", page).text.contains(Self.name))
            }
            try server.database.session().execute("UPDATE users SET language = 'ja'")
            for page in ["/@rob/feed", "/@rob/embed"] {
                #expect(try server.send("GET", page).text.contains(Self.name))
            }
        }
    }

    @Test("is not the name in the API, which has it among the localized names of a search")
    func api() async throws {
        try await Self.run { server, token in
            for path in [
                "/api/v1/users/rob/list", "/api/v1/platforms/nes/ranking", "/api/v1/games/7",
            ] {
                let text = try server.send("GET", path, fields: [("Accept-Language", "ja")]).text
                #expect(text.contains(#""name":"\#(Self.mainName)""#), "\(path) \(text)")
            }
            let found = try server.send("GET", "/api/v1/games?search=zelda").text
            #expect(found.contains(#""name":"\#(Self.mainName)""#))
            #expect(found.contains(#"[{"language":"ja","name":"\#(Self.name)"}]"#), "\(found)")
        }
    }

    @Test("changes on pages that are cached")
    func changes() async throws {
        try await Self.run { server, _ in
            func page() throws -> String {
                try server.send("GET", "/platforms/nes", fields: [("Accept-Language", "ja")]).text
            }
            #expect(try page().contains(Self.name) && page().contains(Self.name))
            try server.database.session().execute(
                "UPDATE games SET localized_names = 'ja=リンク' WHERE id = 7")
            #expect(try page().contains("リンク"))
        }
    }
}

import Foundation
import TestSupport
import Testing

@Suite("The offer to add a game", .blocking)
struct AddGameTests {
    private static let pages = ["/games/71", "/platforms/win/games/71"]

    @Test("leads to the visitor's list, and knows what is on it")
    func offers() async throws {
        try await TestServer.run { server in
            let rob = Browser(server)
            for path in Self.pages {
                #expect(try rob.get(path).text.contains(">Add to your list</a>"))
            }
            try rob.signUp("rob")
            for path in Self.pages {
                #expect(try rob.get(path).text.contains(">Add to your list</a></p>"))
            }
            let session = try server.database.session()
            func add(_ game: Int, at position: Int) throws {
                _ = try session.query(
                    """
                    INSERT INTO entries (user_id, position, game_id, platform_id)
                    SELECT u.id, $1, $2, (SELECT min(p.platform_id) FROM game_platforms p
                                          WHERE p.game_id = $2)
                    FROM users u WHERE username = 'rob'
                    """, [.int(position), .int(game)])
            }
            try add(120, at: 1)
            #expect(try rob.get("/games/71").text.contains("4 places left"))
            for (index, game) in [72, 73, 74, 117].enumerated() { try add(game, at: index + 2) }
            #expect(try rob.get("/games/71").text.contains(">Swap it in</a>"))
            #expect(try rob.get("/games/120").text.contains("Number 1 on your list"))
            // Anyone else is asked as before.
            #expect(
                try Browser(server).get("/games/120").text.contains(">Add to your list</a></p>"))
        }
    }

    @Test("chooses a platform only if the visitor comes from its page, or there is no other")
    func platform() async throws {
        try await TestServer.run { server in
            let browser = Browser(server)
            let page = try browser.get("/platforms/win/games/71").text
            #expect(page.contains(#"href="/me?add=71&amp;platform=6""#))
            func chosen(_ path: String) throws -> [String] {
                try browser.get(path).text
                    .matches(of: /<option value="(\d+)" selected>/).map { String($0.1) }
            }
            #expect(try chosen("/me?add=71&platform=6") == ["6"])
            #expect(try chosen("/me?add=71") == [])
            for other in ["33", "x", "2147483648", ""] {
                #expect(try chosen("/me?add=71&platform=\(other)") == [])
            }
        }
    }
}

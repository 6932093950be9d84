import Foundation
import TestSupport
import Testing

/// The whole server with a stand-in for IGDB beside it.
@Suite("Searching for games", .blocking)
struct GameSearchTests {
    private static func run(
        _ contents: TestDatabase.Contents = .seeded, settings: [String: String] = [:],
        _ body: (TestServer, IGDBStandIn) async throws -> Void
    ) async throws {
        let igdb = try IGDBStandIn()
        let all = [
            "IGDB_CLIENT_ID": IGDBStandIn.clientID,
            "IGDB_CLIENT_SECRET": IGDBStandIn.clientSecret, "IGDB_URL": igdb.url,
            "TWITCH_TOKEN_URL": igdb.tokenURL, "IGDB_WAIT_SECONDS": "10",
        ].merging(settings) { $1 }
        try await TestServer.run(contents, settings: all) { try await body($0, igdb) }
    }

    private struct Response {
        let names: [String]
        let kinds: [String]
        let source: String?
    }

    private static func search(
        _ server: TestServer, _ text: String, _ more: String = ""
    ) throws -> Response {
        let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let response = try server.send("GET", "/api/v1/games?search=\(query)\(more)")
        guard response.status == 200 else { throw TestFailure(response.text) }
        let object = try response.object
        let games = object["games"] as? [[String: Any]] ?? []
        return Response(
            names: games.compactMap { $0["name"] as? String },
            kinds: games.compactMap { $0["kind"] as? String },
            source: object["source"] as? String)
    }

    @Test("finds what people mean, through IGDB")
    func meaning() async throws {
        try await Self.run { server, igdb in
            for (text, first) in [
                ("hollow k", "Hollow Knight"), ("pokemon sn", "Pokémon Snap"),
                ("spider man", "Spider-Man"), ("ico", "ICO"), ("gta v", "Grand Theft Auto V"),
                ("botw", "The Legend of Zelda: Breath of the Wild"), ("1001", "Hollow Knight"),
            ] {
                let response = try Self.search(server, text)
                #expect(response.names.first == first, "\(text)")
                #expect(response.source == "igdb")
            }
            let response = try Self.search(server, "hollow knight")
            #expect(response.kinds.first == "main")
            #expect(response.kinds.contains("edition"), "labelled, and not left out")
            #expect(try igdb.log().minted == 1)
            #expect(try igdb.log().refused == 0)
        }
    }

    @Test("looks in the catalogue for what IGDB does not find")
    func misspelled() async throws {
        try await Self.run { server, igdb in
            for _ in 0..<2 {
                let response = try Self.search(server, "protal")
                #expect(response.names.contains("Portal"))
                #expect(response.source == "catalogue")
            }
            let nothing = try Self.search(server, "zzzzqqqq")
            #expect(nothing.names.isEmpty && nothing.source == "igdb")
            #expect(try igdb.log().questions.count == 2, "IGDB is asked once, and first")
        }
    }

    @Test("asks once for what was asked before, on all loops and after a restart")
    func cached() async throws {
        try await Self.run { server, igdb in
            for _ in 0..<6 { #expect(try Self.search(server, "Hollow").source == "igdb") }
            #expect(try Self.search(server, "hollow").names.first == "Hollow Knight")
            #expect(try igdb.log().questions.count == 1)
            let session = try server.database.session()
            #expect(try session.query("SELECT count(*) FROM game_searches")[0][0] == 1)
            #expect(
                try session.query(
                    "SELECT count(*) FROM games WHERE fetched_at IS NOT NULL AND id = 1001"
                )[0][0] == 1)
        }
    }

    @Test("asks once for what many ask at the same time")
    func shared() async throws {
        try await Self.run { server, igdb in
            try igdb.delay(milliseconds: 300)
            let connections = try (0..<12).map { _ in try RawConnection(port: server.port) }
            for connection in connections {
                try connection.send(
                    "GET /api/v1/games?search=zelda HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            let responses = try connections.map { try $0.readResponse() }
            #expect(
                responses.allSatisfy { $0.status == 200 && $0.text.contains(#""source":"igdb""#) })
            #expect(try igdb.log().questions.count == 1)
        }
    }

    /// Another process, which has nothing in memory.
    private static func other(
        _ server: TestServer, _ igdb: IGDBStandIn, _ body: (TestServer) async throws -> Void
    ) async throws {
        let other = try await TestServer.beside(
            server,
            settings: [
                "IGDB_CLIENT_ID": IGDBStandIn.clientID,
                "IGDB_CLIENT_SECRET": IGDBStandIn.clientSecret, "IGDB_URL": igdb.url,
                "TWITCH_TOKEN_URL": igdb.tokenURL, "IGDB_WAIT_SECONDS": "10",
            ])
        try await body(other)
        await other.stop()
    }

    private static func age(_ server: TestServer, hours: Int) throws {
        try server.database.session().execute(
            "UPDATE game_searches SET received_at = now() - interval '\(hours) hours'")
    }

    @Test("gives an old response at once, and asks anew behind")
    func old() async throws {
        try await Self.run { server, igdb in
            _ = try Self.search(server, "zelda")
            try Self.age(server, hours: 13)
            try await Self.other(server, igdb) { other in
                // Whoever waited for this would not get IGDB's response.
                try igdb.next(.status, times: 1, status: 503)
                #expect(try Self.search(other, "zelda").source == "igdb")
                try await eventually("the question behind") {
                    try igdb.log().questions.count == 2
                }
                // As long as the question that fails is on its way, no search asks another one.
                try await eventually("a fresh response") {
                    #expect(try Self.search(other, "zelda").source == "igdb")
                    return try igdb.log().questions.filter { $0.status == 200 }.count == 2
                }
                #expect(try igdb.log().minted == 1, "the token is shared")
            }
        }
    }

    @Test("asks anew first where a response is older than it may be, and gives it if that fails")
    func tooOld() async throws {
        try await Self.run { server, igdb in
            let first = try Self.search(server, "botw")
            try Self.age(server, hours: 25)
            try await Self.other(server, igdb) { other in
                try igdb.next(.status, times: 1, status: 503)
                let cached = try Self.search(other, "botw")
                #expect(cached.source == "catalogue")
                #expect(cached.names == first.names, "letters alone do not find it")
                #expect(try igdb.log().questions.count == 2)
                #expect(try Self.search(other, "botw").source == "igdb")
                #expect(try igdb.log().questions.count == 3)
                #expect(try Self.search(other, "botw").source == "igdb")
                #expect(try igdb.log().questions.count == 3, "this one is fresh")
            }
        }
    }

    @Test("says that it cannot say whether a game exists, while IGDB is away")
    func unresolved() async throws {
        try await Self.run { server, igdb in
            let token = try await server.makeUser("rob")
            try igdb.next(.status, times: 2, status: 503)
            let response = try server.send("GET", "/api/v1/games/1002")
            #expect(response.status == 503)
            #expect(response["Retry-After"] != nil)
            let entry = #"{"gameId": 1050, "platformId": 48}"#
            let refused = try server.send(
                "POST", "/api/v1/me/list/entries", token: token, json: entry)
            #expect(refused.status == 503, "\(refused.text)")
            #expect(try server.send("GET", "/api/v1/games/1002").status == 200)
            let added = try server.send(
                "POST", "/api/v1/me/list/entries", token: token, json: entry)
            #expect(added.status == 201, "\(added.text)")
        }
    }

    @Test("is served by the catalogue when IGDB fails, and not asked for a while")
    func failing() async throws {
        try await Self.run { server, igdb in
            try igdb.next(.status, times: 100, status: 503)
            let start = ContinuousClock.now
            for text in ["portal", "mario", "final", "metal", "grand", "half", "doom"] {
                let response = try Self.search(server, text)
                #expect(response.source == "catalogue")
                #expect(!response.names.isEmpty, "\(text)")
            }
            let asked = try igdb.log().questions.count
            #expect((3...3 + Self.attempts(since: start)).contains(asked))
            #expect(try server.send("GET", "/games?search=portal").text.contains("Portal"))
        }
    }

    @Test("is served by the catalogue when IGDB hangs, and costs no waiting after the first few")
    func hanging() async throws {
        try await Self.run(settings: ["IGDB_WAIT_SECONDS": "0.2"]) { server, igdb in
            try igdb.next(.hang, times: 100)
            let start = ContinuousClock.now
            for text in ["portal", "mario", "final"] {
                #expect(try Self.search(server, text).source == "catalogue")
            }
            // The server may stop waiting before IGDB has read the question.
            try await eventually("the third question") { try igdb.log().questions.count >= 3 }
            let asked = try igdb.log().questions.count
            // Who asks nothing waits for nothing.
            for text in ["metal", "grand", "half", "doom", "tetris", "elden"] {
                #expect(try Self.search(server, text).source == "catalogue")
            }
            let more = try igdb.log().questions.count - asked
            #expect((0...Self.attempts(since: start)).contains(more))
        }
    }

    /// How often it was tried at most whether IGDB is back: five seconds after a failure or later.
    private static func attempts(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .seconds(5))
    }

    @Test(
        "is served by the catalogue whatever IGDB says",
        arguments: [IGDBStandIn.Misdeed.cut, .drop, .malformed, .oversize])
    func broken(misdeed: IGDBStandIn.Misdeed) async throws {
        try await Self.run { server, igdb in
            _ = try Self.search(server, "zelda")
            try igdb.next(misdeed, times: 2)
            let response = try Self.search(server, "portal")
            #expect(response.source == "catalogue")
            #expect(response.names.contains("Portal"))
        }
    }

    @Test("is served by the catalogue without credentials, or with wrong ones")
    func credentials() async throws {
        try await TestServer.run { server in
            let response = try Self.search(server, "portal")
            #expect(response.source == "catalogue")
            #expect(response.names.contains("Portal"))
        }
        try await Self.run(settings: ["IGDB_CLIENT_SECRET": "wrong"]) { server, igdb async throws in
            #expect(try Self.search(server, "portal").source == "catalogue")
            #expect(try igdb.log().questions.isEmpty)
        }
    }

    @Test("goes on with a token that ended before its time")
    func deadToken() async throws {
        try await Self.run { server, igdb in
            _ = try Self.search(server, "zelda")
            try igdb.endTokens()
            #expect(try Self.search(server, "hollow").source == "igdb")
            #expect(try igdb.log().minted == 2)
        }
    }

    @Test("finds a game by its id that nobody has asked for, and lists can hold it")
    func byID() async throws {
        try await Self.run { server, igdb in
            let response = try server.send("GET", "/api/v1/games/1002")
            #expect(response.status == 200)
            #expect(try response.object["name"] as? String == "Hollow Knight: Silksong")
            #expect(try server.send("GET", "/games/1001").text.contains("Hollow Knight"))
            for _ in 0..<3 {
                #expect(try server.send("GET", "/api/v1/games/1999999999").status == 404)
            }
            let token = try await server.makeUser("rob")
            let added = try server.send(
                "POST", "/api/v1/me/list/entries", token: token,
                json: #"{"gameId": 1050, "platformId": 48}"#)
            #expect(added.status == 201, "\(added.text)")
            #expect(try igdb.log().questions.count == 4)
            #expect(try server.send("GET", "/api/v1/games?ids=1002,1050").status == 200)
            #expect(try igdb.log().questions.count == 4, "these are known by now")
            try server.execute("UPDATE games SET adult_by_hand = true WHERE id = 1002")
            for _ in 0..<2 {
                #expect(try server.send("GET", "/api/v1/games/1002").status == 404)
            }
            #expect(try igdb.log().questions.count == 4, "a hidden one is known, too")
        }
    }

    @Test("gives only games of a platform, where one is named")
    func platform() async throws {
        try await Self.run { server, _ in
            let all = try Self.search(server, "hollow knight")
            let some = try Self.search(server, "hollow knight", "&platform=49")
            #expect(!some.names.isEmpty)
            #expect(some.names.count < all.names.count)
        }
    }

    @Test("never tells of token or secret")
    func secrets() async throws {
        try await Self.run { server, igdb in
            try igdb.next(.echo, times: 3)
            let response = try server.send("GET", "/api/v1/games?search=portal")
            #expect(response.status == 200)
            #expect(!response.text.contains(IGDBStandIn.clientSecret))
            for token in try igdb.log().liveTokens { #expect(!response.text.contains(token)) }
        }
    }
}

import Foundation
import TestSupport
import Testing

@Suite("At the first front end one's fave games", .blocking)
struct V0FaveGamesTests {
    private static let unknown = "00000000-0000-4000-8000-000000000000"

    private static func with(_ body: (V0Person) async throws -> Void) async throws {
        try await TestServer.run { server in try await body(V0Person("rob", on: server)) }
    }

    @Test("are added, changed and removed")
    func life() async throws {
        try await Self.with { rob in
            #expect(try rob.send("GET", "/my-fave-games").text == "[]")
            let added = try rob.add(71, 6, " Cake. ")
            #expect(added.status == 201)
            #expect(added["content-type"] == "application/json")
            let id = try #require(added.object.string("id"))
            func entry(_ reasons: String) -> String {
                """
                {"id":"\(id)","userId":"\(rob.userID)","gameId":"71","platformId":"6",\
                "reasons":"\(reasons)"}
                """
            }
            #expect(added.text == entry("Cake."))
            #expect(try rob.send("GET", "/my-fave-games").text == "[\(entry("Cake."))]")
            let changed = try rob.send("PUT", "/my-fave-games/\(id)", #"{"reasons": "No cake."}"#)
            #expect(changed.status == 200)
            #expect(changed.text == entry("No cake."))
            #expect(try rob.send("GET", "/my-fave-games").text == "[\(entry("No cake."))]")
            #expect(
                try rob.server.send("GET", "/api/v0/my-fave-games/\(rob.userID)").text
                    == "[\(entry("No cake."))]")
            let removed = try rob.send("DELETE", "/my-fave-games/\(id)")
            #expect(removed.status == 200)
            #expect(removed.text == entry("No cake."))
            #expect(try rob.send("GET", "/my-fave-games").text == "[]")
            try expectV0Error(rob.send("DELETE", "/my-fave-games/\(id)"), 404, "not_found")
            try expectV0Error(
                rob.send("PUT", "/my-fave-games/\(id)", #"{"reasons": ""}"#), 404, "not_found")
        }
    }

    @Test("keep what only the other API knows of them")
    func ratings() async throws {
        try await Self.with { rob in
            let made = try rob.server.send(
                "POST", "/api/v1/me/list/entries", token: rob.token,
                json: #"{"gameId": 71, "platformId": 6, "rating": 5, "tags": ["short"]}"#
            ).object
            let id = try #require(made.string("id"))
            #expect(
                try rob.send("PUT", "/my-fave-games/\(id)", #"{"reasons": "GLaDOS"}"#).status == 200
            )
            let list = try rob.server.send("GET", "/api/v1/me/list", token: rob.token).object
            let entry = try #require(list.objects("entries").first)
            #expect(entry.string("comment") == "GLaDOS")
            #expect(entry.int("rating") == 5)
            #expect(entry["tags"] as? [String] == ["short"])
        }
    }

    @Test("take ids as numbers and as strings, and members that nobody knows")
    func lenient() async throws {
        try await Self.with { rob in
            let bodies = [
                #"{"gameId": 71, "platformId": "6"}"#,
                #"{"gameId": "120", "platformId": 48, "reasons": "", "userId": "x", "id": 7}"#,
                #"{"gameId": 117, "platformId": 48, "game": {"id": 117}, "reasons": "Trico."}"#,
            ]
            for body in bodies {
                #expect(try rob.send("POST", "/my-fave-games", body).status == 201)
            }
            #expect(try rob.games() == ["71", "120", "117"])
            let entries = try rob.send("GET", "/my-fave-games").array
            #expect(entries.map { $0.string("reasons") } == ["", "", "Trico."])
            #expect(entries.allSatisfy { $0.string("userId") == rob.userID })
            let id = try #require(entries[0].string("id"))
            let changed = try rob.send(
                "PUT", "/my-fave-games/\(id)",
                #"{"id": "\#(id)", "gameId": "117", "platformId": "48", "reasons": "Why."}"#)
            #expect(try changed.object.string("gameId") == "71", "only the reasons change")
            #expect(try changed.object.string("reasons") == "Why.")
        }
    }

    @Test("are five, and a sixth has a code of its own")
    func sixth() async throws {
        try await Self.with { rob in
            for (game, platform) in [(71, 6), (120, 48), (117, 48), (73, 9)] {
                _ = try rob.added(game, platform)
            }
            try expectV0Error(rob.add(71, 6), 409, "conflict", "already on the list")
            let last = try rob.added(72, 130)
            try expectV0Error(rob.add(71, 9), 400, "too_many_games", "at most 5")
            try expectV0Error(rob.add(71, 6), 400, "too_many_games")
            #expect(try rob.games() == ["71", "120", "117", "73", "72"])
            #expect(try rob.send("DELETE", "/my-fave-games/\(last)").status == 200)
            _ = try rob.added(71, 9)
        }
    }

    @Test("are five, however many are added at once")
    func race() async throws {
        try await Self.with { rob in
            let games: [Int] = try rob.server.database.session().query(
                """
                SELECT array_agg(game_id) FROM (
                    SELECT game_id FROM game_platforms WHERE platform_id = 48 LIMIT 12) g
                """)[0][0]
            #expect(games.count == 12)
            let connections = try games.map { _ in try RawConnection(port: rob.server.port) }
            for (connection, game) in zip(connections, games) {
                let body = #"{"gameId": \#(game), "platformId": 48, "reasons": ""}"#
                try connection.send(
                    """
                    POST /api/v0/my-fave-games HTTP/1.1\r\nHost: x\r\n\
                    Authorization: Bearer \(rob.token)\r\nContent-Type: application/json\r\n\
                    Content-Length: \(body.utf8.count)\r\n\r\n\(body)
                    """)
            }
            let responses = try connections.map { try $0.readResponse() }
            let added = responses.filter { $0.status == 201 }
            #expect(added.count == 5)
            for refused in responses where refused.status != 201 {
                try expectV0Error(refused, 400, "too_many_games")
            }
            #expect(
                Set(try rob.games()) == Set(try added.map { try $0.object.string("gameId") }))
        }
    }

    @Test("are of games that we know, for platforms that they are on")
    func rules() async throws {
        try await Self.with { rob in
            try expectV0Error(rob.add(1, 48), 422, "unprocessable_content", "Game 1 is unknown")
            try expectV0Error(rob.add(117, 6), 422, "unprocessable_content", "not on platform 6")
            try expectV0Error(rob.add(117, 999_999), 422, "unprocessable_content", "999999")
            #expect(try rob.games() == [])
        }
    }

    @Test("refuse what is no entry, and say all that is wrong")
    func bodies() async throws {
        try await Self.with { rob in
            let id = try rob.added(71, 6, "Cake.")
            func post(_ body: String) throws -> RawResponse {
                try rob.send("POST", "/my-fave-games", body)
            }
            func put(_ body: String) throws -> RawResponse {
                try rob.send("PUT", "/my-fave-games/\(id)", body)
            }
            let code = "unprocessable_content"
            try expectV0Error(
                post("{}"), 422, code, #""gameId" is missing. "platformId" is missing."#)
            for value in [#""x""#, "1.5", "true", "null", "[]", #""+7""#, #""007""#, #""""#] {
                try expectV0Error(
                    post(#"{"gameId": \#(value), "platformId": 6}"#), 422, code, #""gameId" must"#)
            }
            for value in ["0", "-1", "2147483648", #""2147483648""#, #""-1""#] {
                try expectV0Error(
                    post(#"{"gameId": 120, "platformId": \#(value)}"#), 422, code,
                    #""platformId" must be from 1 to"#)
            }
            let long = String(repeating: "x", count: 1001)
            try expectV0Error(
                post(#"{"gameId": 120, "platformId": 48, "reasons": "\#(long)"}"#), 422, code,
                #""reasons" must have at most 1000"#)
            for body in [#"{"reasons": "\#(long)"}"#, #"{"reasons": 5}"#, #"{"reasons": null}"#] {
                try expectV0Error(put(body), 422, code, #""reasons" must"#)
            }
            try expectV0Error(put("{}"), 422, code, #""reasons" is missing."#)
            for body in ["[]", "5", "null"] {
                try expectV0Error(post(body), 422, code, "The body must be an object")
                try expectV0Error(put(body), 422, code, "The body must be an object")
            }
            try expectV0Error(post("{"), 400, "bad_request", "not valid JSON")
            let form = try rob.server.send(
                "POST", "/api/v0/my-fave-games", token: rob.token,
                fields: [("Content-Type", "text/plain"), ("Content-Length", "0")])
            try expectV0Error(form, 415, "unsupported_media_type")
            #expect(try rob.send("GET", "/my-fave-games").array.count == 1)
            #expect(
                try rob.send("GET", "/my-fave-games").array[0].string("reasons") == "Cake.")
        }
    }

    @Test("are nobody else's to change")
    func others() async throws {
        try await Self.with { rob in
            let id = try rob.added(71, 6, "Mine.")
            let eve = try await V0Person("eve", on: rob.server)
            _ = try eve.added(71, 6, "Hers.")
            let before = try rob.send("GET", "/my-fave-games").text
            for entry in [id, Self.unknown, "1", rob.userID] {
                try expectV0Error(
                    eve.send("PUT", "/my-fave-games/\(entry)", #"{"reasons": "Eve's"}"#), 404,
                    "not_found", "no such entry")
                try expectV0Error(
                    eve.send("DELETE", "/my-fave-games/\(entry)"), 404, "not_found",
                    "no such entry")
            }
            let posted = try eve.send(
                "POST", "/my-fave-games",
                #"{"gameId": 120, "platformId": 48, "userId": "\#(rob.userID)"}"#)
            #expect(try posted.object.string("userId") == eve.userID)
            #expect(try rob.send("GET", "/my-fave-games").text == before)
            #expect(try eve.games() == ["71", "120"])
        }
    }

    @Test("are for their owner only while the list is private")
    func privateList() async throws {
        try await Self.with { rob in
            _ = try rob.added(120, 48, "Secret.")
            let eve = try await V0Person("eve", on: rob.server)
            let paths = ["/my-fave-games/\(rob.userID)", "/users/\(rob.userID)"]
            func anybody(_ path: String) throws -> RawResponse {
                try rob.server.send("GET", "/api/v0" + path)
            }
            let list = try anybody(paths[0]).text
            #expect(list.contains("Secret."))

            try rob.set("unlisted")
            for path in paths {
                try expectV0Words(anybody(path), 404, "no such user")
                #expect(try rob.send("GET", path).status == 200)
            }
            #expect(try anybody("/users?search=rob").text == "[]")
            #expect(
                try anybody("/platform-fave-games/48").text
                    == #"[{"gameId":120,"count":1,"reasons":[]}]"#)

            try rob.set("private")
            for path in paths {
                try expectV0Words(anybody(path), 404, "no such user")
                try expectV0Words(eve.send("GET", path), 404, "no such user")
                #expect(try rob.send("GET", path).status == 200)
                let stale = try rob.server.send("GET", "/api/v0" + path, token: "stale")
                expectV0Words(stale, 401)
                let nobody = path.replacing(rob.userID, with: String(repeating: "0", count: 64))
                let other = try rob.server.send("GET", "/api/v0" + nobody, token: "stale")
                #expect(other.bytes == stale.bytes, "it does not tell that there is somebody")
            }
            #expect(try rob.send("GET", paths[0]).text == list)
            #expect(try rob.send("GET", "/my-fave-games").text == list)
            #expect(try anybody("/platform-fave-games/48").text == "[]")

            try rob.set("public")
            #expect(try anybody(paths[0]).text == list)
            try rob.server.execute("UPDATE users SET disabled_at = now() WHERE username = 'rob'")
            for path in paths { try expectV0Words(anybody(path), 404) }
            try expectV0Words(rob.send("GET", "/my-fave-games"), 401)
        }
    }

    @Test("belong to an id that stays when the username changes")
    func renamed() async throws {
        try await Self.with { rob in
            _ = try rob.added(71, 6)
            let renamed = try rob.server.send(
                "PATCH", "/api/v1/me", token: rob.token, json: #"{"username": "robert"}"#)
            #expect(renamed.status == 200)
            #expect(
                try rob.send("GET", "/users/me").text
                    == #"{"userId":"\#(rob.userID)","username":"robert"}"#)
            #expect(
                try rob.server.send("GET", "/api/v0/my-fave-games/\(rob.userID)").array.count == 1)
        }
    }
}

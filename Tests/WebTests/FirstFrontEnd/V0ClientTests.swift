import Foundation
import TestSupport
import Testing

/// The calls of a React client in a browser, in the order in which its pages make them, with what
/// a browser and its library for requests send along.
@Suite("A browser client of the first front end", .blocking)
struct V0ClientTests {
    private struct Client {
        static let origin = "https://my-fave-games.example"

        let connection: RawConnection
        var token: String?

        func send(_ method: String, _ path: String, _ body: String? = nil) throws -> RawResponse {
            var head = """
                \(method) /api/v0\(path) HTTP/1.1\r\nHost: fave.example\r\n\
                Connection: keep-alive\r\nAccept: application/json, text/plain, */*\r\n\
                Accept-Language: en-GB,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\n\
                Origin: \(Self.origin)\r\n\
                Referer: \(Self.origin)/\r\nUser-Agent: Mozilla/5.0\r\n\
                Sec-Fetch-Dest: empty\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Site: cross-site\r\n\
                Pragma: no-cache\r\nCache-Control: no-cache\r\n
                """
            if let token { head += "Authorization: Bearer \(token)\r\n" }
            if let body {
                head += "Content-Type: application/json;charset=utf-8\r\n"
                head += "Content-Length: \(body.utf8.count)\r\n"
            }
            try connection.send(head + "\r\n" + (body ?? ""))
            let response = try connection.readResponse()
            #expect(response.status < 300, "\(method) \(path): \(response.text)")
            #expect(response.setCookies.isEmpty)
            return response
        }

        func get(_ path: String) throws -> [[String: Any]] { try send("GET", path).array }
    }

    @Test("signs in with an issuer's token, and becomes a user")
    func firstSight() async throws {
        try await TestIssuer.run { settings in
            try await TestServer.run(.migrated, settings: settings) { server in
                var client = Client(connection: try RawConnection(port: server.port))
                #expect(try client.get("/users?search=rob").isEmpty)
                client.token = TestIssuer.untilYear2096
                let me = try client.send("GET", "/users/me").object
                #expect(me.string("username") == "player")
                #expect(try client.send("GET", "/users/me").object.string("userId") != nil)
                #expect(
                    try client.get("/users?search=player").isEmpty, "the list is unlisted at first")
                #expect(try client.get("/my-fave-games").isEmpty)
                #expect(try server.count("users") == 1)
            }
        }
    }

    @Test("keeps a list, and shows it with names and pictures")
    func list() async throws {
        try await TestServer.run(settings: ["CORS_ORIGINS": Client.origin]) { server in
            let ada = try await V0Person("ada", on: server)
            _ = try ada.added(71, 6, "Still alive.")
            let token = try await server.makeUser("rob")
            var client = Client(connection: try RawConnection(port: server.port))
            #expect(try client.send("GET", "/ping").text == "pong")
            client.token = token
            let me = try client.send("GET", "/users/me").object
            let userID = try #require(me.string("userId"))

            // Someone looks for a game, chooses one of its platforms, and says why.
            let found = try client.get("/games?search=portal")
            let game = try #require(found.first)
            let ids = try #require(game["platforms"] as? [Int])
            let list = ids.map(String.init).joined(separator: "%2C")
            let platforms = try client.get("/platforms?platformIds=\(list)")
            #expect(Set(platforms.compactMap { $0.int("id") }) == Set(ids))
            let body = try JSONSerialization.data(withJSONObject: [
                "gameId": try #require(game.int("id")), "platformId": 6, "reasons": "",
                "username": "rob",
            ])
            let added = try client.send(
                "POST", "/my-fave-games", String(decoding: body, as: UTF8.self)
            ).object
            let id = try #require(added.string("id"))
            _ = try client.send("PUT", "/my-fave-games/\(id)", #"{"reasons":"The cake."}"#)

            // The list is shown: its entries, and then the games and platforms that they name.
            let entry = try #require(client.get("/my-fave-games/\(userID)").first)
            let gameID = try #require(entry.string("gameId"))
            let shown = try #require(client.get("/games?gameIds=\(gameID)").first)
            #expect(shown.string("name") == "Portal")
            let picture = try #require(shown.objects("screenshots").first?.string("url"))
            #expect(picture.hasPrefix("https://"))
            let platformID = try #require(entry.string("platformId"))
            #expect(try client.get("/platforms?platformIds=\(platformID)").count == 1)
            #expect(entry.string("reasons") == "The cake.")

            let top = try #require(client.get("/platform-fave-games/\(platformID)").first)
            #expect(top.int("gameId") == Int(gameID))
            #expect(top.int("count") == 2)
            #expect(top["reasons"] as? [String] == ["The cake.", "Still alive."])

            let others = try client.get("/users?search=ada")
            #expect(others.map { $0.string("userId") } == [ada.userID])
            #expect(try client.get("/my-fave-games/\(ada.userID)").count == 1)

            _ = try client.send("DELETE", "/my-fave-games/\(id)").object
            #expect(try client.get("/my-fave-games").isEmpty)
        }
    }

    @Test("sees IGDB's screenshots, and keeps games that are new here")
    func screenshots() async throws {
        let igdb = try IGDBStandIn()
        let settings = [
            "IGDB_CLIENT_ID": IGDBStandIn.clientID,
            "IGDB_CLIENT_SECRET": IGDBStandIn.clientSecret, "IGDB_URL": igdb.url,
            "TWITCH_TOKEN_URL": igdb.tokenURL, "IGDB_WAIT_SECONDS": "10",
        ]
        try await TestServer.run(settings: settings.merging(["CORS_ORIGINS": Client.origin]) { $1 })
        { server in
            var client = Client(connection: try RawConnection(port: server.port))
            client.token = try await server.makeUser("rob")
            _ = try client.send(
                "POST", "/my-fave-games", #"{"gameId":"1001","platformId":"130","reasons":""}"#)
            let game = try client.send("GET", "/games/1001").object
            #expect(game.string("name") == "Hollow Knight")
            let screenshots = game.objects("screenshots")
            #expect(
                screenshots.map { $0.string("url") }
                    == ["sc1001_1", "sc1001_2"].map {
                        "https://images.igdb.com/igdb/image/upload/t_screenshot_big/\($0).jpg"
                    })
            #expect(screenshots.map { $0.int("game") } == [1001, 1001])
            let numbers = screenshots.compactMap { $0.int("id") }
            #expect(Set(numbers).count == 2)
            #expect(numbers.allSatisfy { (1..<1 << 53).contains($0) }, "JavaScript's numbers")
            for path in ["/games?gameIds=1001", "/games?search=hollow+knight"] {
                let again = try #require(client.get(path).first { $0.int("id") == 1001 })
                #expect(again.objects("screenshots").compactMap { $0.int("id") } == numbers)
            }
            let images = (1...30).map { "sc\($0)" }.joined(separator: ",")
            try server.execute(
                "UPDATE games SET screenshot_image_ids = '{\(images)}' WHERE id = 1001")
            #expect(
                try client.send("GET", "/games/1001").object.objects("screenshots").count == 10)
            try igdb.next(.status, on: .api, times: 1, status: 503)
            let away = try server.send("GET", "/api/v0/games/1032")
            expectV0Words(away, 503, "IGDB")
            #expect(away["retry-after"] == "60")
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import Web

/// What anybody may read. Shapes are compared as text: the client tells numbers from strings.
@Suite("The first front end reads", .blocking)
struct V0ReadingTests {
    private let world: World

    init() async throws { world = try await World.shared }

    private func get(_ path: String) throws -> RawResponse { try world.get("/api/v0" + path) }

    private func userID(_ username: String) throws -> String {
        let found = try get("/users?search=\(username)").array
        return try #require(found.first { $0.string("username") == username }?.string("userId"))
    }

    @Test("whether there is a server")
    func ping() throws {
        let response = try get("/ping")
        #expect(response.status == 200)
        #expect(response.text == "pong")
        #expect(response["content-type"] == "text/plain; charset=utf-8")
        #expect(response["cache-control"] == "no-store")
    }

    // MARK: Games

    private var placeholder: String {
        get throws {
            let games = try get("/games/117").object
            return try #require(games.objects("screenshots").first?.string("url"))
        }
    }

    @Test("a game, with a picture of ours where no screenshot is known")
    func game() throws {
        let response = try get("/games/117")
        #expect(response["content-type"] == "application/json")
        #expect(
            try response.text == """
                {"id":117,"name":"The Last Guardian","platforms":[48],\
                "screenshots":[{"id":0,"url":"\(placeholder)","game":117}]}
                """)
        let path = try placeholder.replacing("https://fave.example/", with: "/")
        #expect(path.hasPrefix("/assets/no-screenshot.svg?v="))
        let image = try world.get(path)
        #expect(image.status == 200)
        #expect(image["content-type"] == "image/svg+xml")
        #expect(image["cross-origin-resource-policy"] == "cross-origin")
        #expect(image.text.hasPrefix("<svg "))
    }

    @Test("games by their ids, in that order, and by part of their name")
    func games() throws {
        let response = try get("/games?gameIds=117,1,117")
        #expect(
            try response.text == """
                [{"id":117,"name":"The Last Guardian","platforms":[48],\
                "screenshots":[{"id":0,"url":"\(placeholder)","game":117}]}]
                """)
        #expect(try get("/games?gameIds=117,71").array.map { $0.int("id") } == [117, 71])
        for ids in ["117%2C71", "117,%2071", "%20117+,71%20"] {
            #expect(try get("/games?gameIds=\(ids)").array.count == 2, "\(ids)")
        }
        let found = try get("/games?search=PORTAL").array
        #expect(found.first?.int("id") == 71)
        #expect(found.count > 1)
        for game in found {
            #expect(game.objects("screenshots").map { $0.int("game") } == [game.int("id")])
        }
        #expect(try get("/games?search=zzzzqqqq").text == "[]")
        #expect(try get("/games?gameIds=1").text == "[]")
        #expect(try get("/games?search=e").array.count <= 20)
    }

    @Test("of a game that is none that it is not there", arguments: ["1", "0", "x", "1e3"])
    func noGame(id: String) throws {
        try expectV0Words(get("/games/\(id)"), 404, "no such game")
    }

    // MARK: Platforms

    @Test("platforms by their ids, and by part of their name under two names")
    func platforms() throws {
        #expect(
            try get("/platforms?platformIds=48,130,999999").text == """
                [{"id":130,"name":"Nintendo Switch","platform_logo":null},\
                {"id":48,"name":"PlayStation 4","platform_logo":null}]
                """)
        #expect(try get("/platforms?platformIds=48,130,%206").array.count == 3)
        for name in ["search", "searchTerm"] {
            let found = try get("/platforms?\(name)=playstation+4").array
            #expect(found.map { $0.int("id") } == [48])
            #expect(found.first?.keys.sorted() == ["id", "name", "platform_logo"])
            #expect(try get("/platforms?\(name)=zzzzqqqq").text == "[]")
        }
    }

    @Test("the five games that most lists have for a platform, with the reasons")
    func faveGames() throws {
        let reason = #"<script>alert(\"1\")</script>\n& 'twice' <img src=x>"#
        #expect(
            try get("/platform-fave-games/48").text == """
                [{"gameId":120,"count":2,"reasons":["\(reason)"]},\
                {"gameId":117,"count":1,"reasons":["Trico.\\n\\nGood boy."]}]
                """)
        #expect(try get("/platform-fave-games/9").array.count == 5)
        let many = try get("/platform-fave-games/12").array
        #expect(many.map { $0.int("count") } == [35])
        #expect(many.first?["reasons"] as? [String] == Array(repeating: "Shepard.", count: 5))
        #expect(try get("/platform-fave-games/130").text == "[]", "nobody has any")
        for id in ["999999", "0", "x%20"] {
            try expectV0Words(get("/platform-fave-games/\(id)"), 404, "no such platform")
        }
    }

    // MARK: Users

    @Test("people by part of their name, and by the id that they have there")
    func users() throws {
        let id = try userID("rob")
        #expect(id.wholeMatch(of: /[0-9a-f]{64}/) != nil)
        #expect(try get("/users?search=rob").text == #"[{"userId":"\#(id)","username":"rob"}]"#)
        #expect(try get("/users/\(id)").text == #"{"userId":"\#(id)","username":"rob"}"#)
        #expect(try get("/users?search=filler").array.count == 20)
        #expect(try get("/users?search=nobody-here").text == "[]")
    }

    @Test("an id that is the same for ever, here and in the database")
    func digest() throws {
        let id = try #require(UUID(uuidString: "01234567-89AB-4CDE-8F01-23456789ABCD"))
        let digest = "53cc48b8f8629862c3620698974352366327c5383dea7c8f6e1f0d4aa3eae77e"
        #expect(UserDigest(of: id).text == digest)
        let stored: String = try world.server.database.session().query(
            "SELECT user_digest($1)", [.uuid(id)])[0][0]
        #expect(stored == digest)
    }

    @Test("a list, all of it strings")
    func list() throws {
        let id = try userID("rob")
        let list = try get("/my-fave-games/\(id)")
        let entries = try list.array
        #expect(entries.map { $0.string("gameId") } == ["71", "120", "117"])
        let ids = entries.compactMap { $0.string("id") }
        #expect(ids.count == 3 && ids.allSatisfy { UUID(uuidString: $0) != nil })
        #expect(
            list.text.hasPrefix(
                """
                [{"id":"\(ids[0])","userId":"\(id)","gameId":"71","platformId":"6",\
                "reasons":"The cake is a lie."},{"id":"\(ids[1])",
                """))
        #expect(try get("/my-fave-games/\(userID("newbie"))").text == "[]")
    }

    @Test("of someone who is nobody that they are not there")
    func nobody() throws {
        let ids = [
            String(repeating: "0", count: 64), "rob", "%20", String(repeating: "0", count: 63),
            String(repeating: "A", count: 64), String(repeating: "0", count: 2000),
        ]
        for id in ids {
            try expectV0Words(get("/users/\(id)"), 404, "no such user")
            try expectV0Words(get("/my-fave-games/\(id)"), 404, "no such user")
        }
    }

    @Test("public lists whatever token it has")
    func staleToken() throws {
        let id = try userID("rob")
        for path in ["/users/\(id)", "/my-fave-games/\(id)"] {
            let stale = try world.server.send("GET", "/api/v0" + path, token: "stale")
            #expect(stale.status == 200)
            #expect(try stale.bytes == get(path).bytes)
        }
    }

    // MARK: Errors

    @Test(
        "what it left out",
        arguments: [
            ("/games", #"Give "search" or "gameIds"."#),
            ("/games?search=", #"Give "search" or "gameIds"."#),
            ("/games?search=%20&ids=71", #"Give "search" or "gameIds"."#),
            ("/platforms", #"Give "searchTerm", "search" or "platformIds"."#),
            ("/platforms?searchTerm=", #"Give "searchTerm", "search" or "platformIds"."#),
            ("/users", #"Give "search"."#), ("/users?username=rob", #"Give "search"."#),
            ("/games?gameIds=", "\"gameIds\" must be"), ("/games?gameIds=1,x", "\"gameIds\""),
            ("/platforms?platformIds=", "\"platformIds\" must be"),
            ("/platforms?platformIds=0", "\"platformIds\" must be"),
            ("/platforms?platformIds=4%208", "\"platformIds\" must be"),
            ("/platforms?platformIds=48,%20", "\"platformIds\" must be"),
            ("/games?search=%", ""), ("/games?search=%FF", ""), ("/users/me?%zz", ""),
        ])
    func missing(path: String, message: String) throws {
        try expectV0Words(get(path), 400, message)
    }

    @Test("that it asks for too much")
    func bounds() throws {
        let ids = (1...101).map(String.init).joined(separator: ",")
        try expectV0Words(get("/games?gameIds=\(ids)"), 400, "1 to 100")
        try expectV0Words(get("/platforms?platformIds=\(ids)"), 400, "1 to 100")
        let text = String(repeating: "a", count: 101)
        for path in ["/games?search", "/users?search", "/platforms?search"] {
            try expectV0Words(get("\(path)=\(text)"), 400, "\"search\" must have")
        }
        try expectV0Words(get("/platforms?searchTerm=\(text)"), 400, "\"searchTerm\" must have")
    }

    @Test(
        "that there is nothing",
        arguments: ["", "/", "/nothing", "/games/", "/platforms/48", "/my-fave-games/a/b", "/me"])
    func nothing(path: String) throws {
        try expectV0Words(get(path), 404)
    }

    @Test("that it must say who it is", arguments: [nil, "garbage"])
    func unauthorized(token: String?) throws {
        let id = "00000000-0000-4000-8000-000000000000"
        for (method, path) in [
            ("GET", "/users/me"), ("GET", "/my-fave-games"), ("POST", "/my-fave-games"),
            ("PUT", "/my-fave-games/\(id)"), ("DELETE", "/my-fave-games/\(id)"),
        ] {
            let response = try world.server.send(
                method, "/api/v0" + path, token: token, json: "not even JSON")
            if method == "GET" {
                expectV0Words(response, 401, "bearer token")
            } else {
                try expectV0Error(response, 401, "unauthorized", "bearer token")
            }
            #expect(response["www-authenticate"]?.hasPrefix("Bearer realm=") == true)
        }
    }
}

import TestSupport
import Testing

@Suite("The API's games", .blocking)
struct GamesAPITests {
    private let world: World

    init() async throws { world = try await World.shared }

    private func games(_ query: String) throws -> [[String: Any]] {
        let response = try world.get("/api/v1/games?" + query)
        #expect(response.status == 200, "\(response.text)")
        return try response.object.objects("games")
    }

    @Test("have a name, a year, a cover if it is known, and platforms")
    func one() throws {
        let game = try world.get("/api/v1/games/117").object
        #expect(game.int("id") == 117)
        #expect(game.string("name") == "The Last Guardian")
        #expect(game.int("releaseYear") == 2016)
        #expect(game.keys.contains("coverUrl"))
        #expect(game.string("coverUrl") == nil)
        #expect(game.objects("platforms").map { $0.string("slug") } == ["ps4--1"])
    }

    @Test(
        "are 404 where there is none", arguments: ["1", "2147483647", "0", "portal", "%20", "1e3"])
    func unknown(id: String) throws {
        try expectProblem(world.get("/api/v1/games/\(id)"), 404, "no such game")
    }

    @Test("are found by their ids, in that order")
    func ids() throws {
        #expect(try games("ids=117,71,1,117").map { $0.int("id") } == [117, 71])
    }

    @Test("are found by part of their name, the best first")
    func search() throws {
        let found = try games("search=PORTAL")
        #expect(found.first?.string("name") == "Portal")
        #expect(found.allSatisfy { $0.string("name")?.lowercased().contains("portal") == true })
        #expect(try games("search=portal&limit=1").map { $0.int("id") } == [71])
        #expect(try games("search=portal&platform=48").allSatisfy { $0.int("id") != 71 })
        #expect(try games("search=last+guardian&platform=48").map { $0.int("id") } == [117])
        #expect(try games("search=zzzzqqqq").isEmpty)
    }

    @Test("want a search or ids")
    func nothing() throws {
        for query in ["", "?search=%20", "?tag=&rating=&platform="] {
            try expectProblem(
                world.get("/api/v1/games\(query)"), 400,
                "\"search\", \"ids\", \"platform\", \"tag\" or \"rating\"")
        }
    }

    @Test(
        "refuse a limit that is none",
        arguments: ["", "0", "101", "-1", "a", "1.0", "99999999999999999999", "%31%30x", "1%00"])
    func limits(limit: String) throws {
        let response = try world.get("/api/v1/games?search=portal&limit=\(limit)")
        try expectProblem(response, 400)
    }

    @Test("refuse a query that says something twice")
    func twice() throws {
        for query in ["search=a&search=b", "search=a&limit=5&limit=5", "search=a&tag&tag"] {
            try expectProblem(world.get("/api/v1/games?\(query)"), 400, "more than once")
        }
    }

    @Test(
        "know no platform that there is not", arguments: ["none", "0", "2147483648", "99999"])
    func platforms(platform: String) throws {
        try expectProblem(
            world.get("/api/v1/games?search=portal&platform=\(platform)"), 404, "no such platform")
    }

    @Test("on people's lists are found by platform, tag, rating and name, the most loved first")
    func lists() async throws {
        try await Person.with { rob in
            func put(_ person: Person, _ entries: String) throws {
                let response = try person.put(#"{"entries": [\#(entries)]}"#)
                #expect(response.status == 200, "\(response.text)")
            }
            let eve = Person(server: rob.server, token: try await rob.server.makeUser("eve"))
            try put(
                rob,
                #"{"gameId": 71, "platformId": 6, "rating": 5, "tags": ["short", "funny"]}, "#
                    + #"{"gameId": 120, "platformId": 48, "rating": 3, "tags": ["funny"]}"#)
            try put(
                eve,
                #"{"gameId": 71, "platformId": 6, "rating": 4, "tags": ["funny"]}, "#
                    + #"{"gameId": 117, "platformId": 48, "rating": 5}"#)
            func found(_ query: String) throws -> [Int?] {
                let response = try rob.server.send("GET", "/api/v1/games?\(query)").object
                #expect(response.string("source") == "lists")
                return response.objects("games").map { $0.int("id") }
            }
            #expect(try found("tag=funny") == [71, 120])
            #expect(try found("tag=FUNNY&limit=1") == [71])
            #expect(try Set(found("rating=5")) == [71, 117])
            #expect(try found("rating=5&platform=ps4--1") == [117])
            #expect(try found("platform=6") == [71])
            #expect(try found("tag=funny&search=porta") == [71])
            #expect(try found("tag=funny&search=guardian") == [])
            #expect(try found("tag=nothing") == [])
            let entries = try rob.server.send("GET", "/api/v1/entries?gameName=PORTAL").object
            #expect(entries.objects("entries").count == 2)
            let none = try rob.server.send("GET", "/api/v1/entries?gameName=portal&game=120").object
            #expect(none.objects("entries").isEmpty)
        }
    }

    @Test(
        "refuse a query that cannot be read", arguments: ["search=%", "search=%zz", "search=%FF"])
    func queries(query: String) throws {
        try expectProblem(world.get("/api/v1/games?\(query)"), 400)
    }
}

import TestSupport
import Testing

@Suite("The API's rankings", .blocking)
struct RankingsAPITests {
    private let world: World

    init() async throws { world = try await World.shared }

    @Test("count lists, the most loved first, with comments")
    func ranking() throws {
        for name in ["48", "ps4--1"] {
            let ranking = try world.get("/api/v1/platforms/\(name)/ranking").object
            #expect(ranking.int("platformId") == 48)
            let games = ranking.objects("games")
            #expect(games.map { $0.object("game").int("id") } == [120, 117])
            #expect(games.map { $0.int("rank") } == [1, 2])
            #expect(games.map { $0.int("includedBy") } == [2, 1])
            let comments = games[0].objects("comments")
            #expect(comments.map { $0.string("comment") } == [World.evilComment])
            #expect(comments.map { $0.string("displayName") } == [World.evilName])
            #expect(ranking.keys.contains("nextCursor"))
            #expect(ranking.string("nextCursor") == nil)
        }
    }

    @Test("have as many comments as wanted")
    func comments() throws {
        func count(_ query: String) throws -> Int? {
            try world.get("/api/v1/platforms/12/ranking?\(query)").object.objects("games").first?
                .objects("comments").count
        }
        #expect(try count("") == 3)
        #expect(try count("comments=0") == 0)
        #expect(try count("comments=5") == 5)
        try expectProblem(world.get("/api/v1/platforms/12/ranking?comments=6"), 400, "0 to 5")
    }

    @Test("go on where a page ended, and share ranks over pages")
    func pages() throws {
        var seen: [Int] = []
        var cursor: String?
        var pages = 0
        repeat {
            let query = "limit=25" + (cursor.map { "&cursor=\($0)" } ?? "")
            let page = try world.get("/api/v1/platforms/ps3/ranking?\(query)").object
            let games = page.objects("games")
            seen += games.compactMap { $0.object("game").int("id") }
            #expect(games.allSatisfy { $0.int("rank") == 1 })
            cursor = page.string("nextCursor")
            pages += 1
        } while cursor != nil && pages < 10
        #expect(pages == 3)
        #expect(seen.count == 60)
        #expect(Set(seen).count == 60)
    }

    @Test("are empty where nobody has a list, and 404 where there is no platform")
    func empty() throws {
        let ranking = try world.get("/api/v1/platforms/130/ranking").object
        #expect(ranking.int("platformId") == 130)
        #expect(ranking.objects("games").isEmpty)
        try expectProblem(world.get("/api/v1/platforms/999999/ranking"), 404, "no such platform")
        try expectProblem(world.get("/api/v1/platforms/nope/ranking"), 404, "no such platform")
    }

    @Test(
        "refuse limits and cursors that are none",
        arguments: [
            "limit=0", "limit=101", "limit=x", "cursor=", "cursor=x", "cursor=%F0%9F%8E%AE",
            "cursor=AAAA", "limit=5&cursor=r1",
        ])
    func bad(query: String) throws {
        let problem = try expectProblem(world.get("/api/v1/platforms/48/ranking?\(query)"), 400)
        #expect(problem.string("detail")?.hasPrefix("\"") == true, "it names the parameter")
    }

    @Test("tell who includes a game, the latest first, and page")
    func inclusions() throws {
        let entries = try world.get("/api/v1/platforms/ps4--1/games/120/entries").object
            .objects("entries")
        #expect(entries.map { $0.object("user").string("username") } == ["ada", "rob"])
        #expect(entries.map { $0.int("position") } == [1, 2])
        #expect(entries[0].string("comment") == World.evilComment)

        let first = try world.get("/api/v1/platforms/48/games/120/entries?limit=1").object
        let cursor = try #require(first.string("nextCursor"))
        let second = try world.get(
            "/api/v1/platforms/48/games/120/entries?limit=1&cursor=\(cursor)"
        ).object
        #expect(second.objects("entries").map { $0.object("user").string("username") } == ["rob"])
        #expect(second.string("nextCursor") == nil)
    }

    @Test("tell apart a game that nobody includes and one that is not there")
    func noInclusions() throws {
        let nobody = try world.get("/api/v1/platforms/6/games/120/entries")
        #expect(nobody.status == 200)
        #expect(try nobody.object.objects("entries").isEmpty)
        for path in ["48/games/71", "48/games/1", "48/games/0", "48/games/x"] {
            try expectProblem(world.get("/api/v1/platforms/\(path)/entries"), 404, "game")
        }
        try expectProblem(world.get("/api/v1/platforms/nope/games/71/entries"), 404, "platform")
        try expectProblem(
            world.get("/api/v1/platforms/48/games/120/entries?cursor=x"), 400, "\"cursor\"")
        try expectProblem(world.get("/api/v1/platforms/48/games/120/entries?limit=101"), 400)
    }
}

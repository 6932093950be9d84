import TestSupport
import Testing

@Suite("The API's games", .timeLimit(.minutes(2)))
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
        try expectProblem(world.get("/api/v1/games"), 400, "\"search\" or \"ids\"")
        try expectProblem(world.get("/api/v1/games?search=%20"), 400, "\"search\" or \"ids\"")
    }

    @Test(
        "refuse a limit that is none",
        arguments: ["", "0", "101", "-1", "a", "1.0", "99999999999999999999", "%31%30x", "1%00"])
    func limits(limit: String) throws {
        let response = try world.get("/api/v1/games?search=portal&limit=\(limit)")
        try expectProblem(response, 400)
    }

    @Test("refuse a platform that is no number", arguments: ["switch", "0", "2147483648"])
    func platforms(platform: String) throws {
        try expectProblem(
            world.get("/api/v1/games?search=portal&platform=\(platform)"), 400, "\"platform\" must")
    }

    @Test(
        "refuse a query that cannot be read", arguments: ["search=%", "search=%zz", "search=%FF"])
    func queries(query: String) throws {
        try expectProblem(world.get("/api/v1/games?\(query)"), 400)
    }
}

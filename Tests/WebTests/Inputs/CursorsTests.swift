import TestSupport
import Testing

@Suite("A cursor of the site", .blocking)
struct CursorsTests {
    @Test("made by one process is taken by another, and by all pages of the site")
    func processes() async throws {
        let server = try await World.shared.server
        let other = try await TestServer.beside(server)
        let path = "/api/v1/platforms/ps3/ranking?limit=5"
        let next = try #require(try server.send("GET", path).object.string("nextCursor"))
        let page = try other.send("GET", "\(path)&cursor=\(next)")
        #expect(page.status == 200)
        #expect(try page.object.objects("games").count == 5)
        let later = try other.send("GET", "/platforms/ps3?cursor=\(next)")
        #expect(later.status == 200 && later.text.contains("class=\"rows\""))
        #expect(!later.text.contains("podium"), "the first five stand on the first page")
        await other.stop()
    }

    private static func links(_ response: RawResponse) -> [String: String] {
        var links: [String: String] = [:]
        for match in (response["link"] ?? "").matches(of: /<([^>]*)>; rel="([a-z]+)"/) {
            links[String(match.2)] = String(match.1)
        }
        return links
    }

    /// What tells the things of a page apart.
    private static func ids(_ response: RawResponse, _ member: String) throws -> [String] {
        try response.object.objects(member).map { thing in
            thing.string("id") ?? (thing["game"] as? [String: Any])?.int("id").map(String.init)
                ?? ""
        }
    }

    @Test(
        "stands in Link fields, with the rest of the query",
        arguments: [
            ("/api/v1/platforms/ps3/ranking", "limit=25&comments=0", "games", 60),
            ("/api/v1/entries", "platform=ps3&limit=25", "entries", 60),
            ("/api/v1/platforms/12/games/73/entries", "limit=20", "entries", 35),
        ])
    func links(path: String, query: String, member: String, count: Int) async throws {
        let world = try await World.shared
        let root = "https://fave.example"
        let first = "\(root)\(path)?\(query)"
        var address: String? = first
        var found = 0
        var before: [String]?
        while let target = address, found < 1000 {
            #expect(target.hasPrefix(first))
            let response = try world.get(String(target.dropFirst(root.count)))
            #expect(response.status == 200)
            let links = Self.links(response)
            #expect(links["first"] == first)
            let object = try response.object
            for (relation, member) in [("next", "nextCursor"), ("prev", "previousCursor")] {
                #expect(links[relation] == object.string(member).map { "\(first)&cursor=\($0)" })
            }
            #expect((links["prev"] == nil) == (target == first))
            if let before, let previous = links["prev"] {
                let response = try world.get(String(previous.dropFirst(root.count)))
                #expect(try Self.ids(response, member) == before)
            }
            before = try Self.ids(response, member)
            found += try response.object.objects(member).count
            address = links["next"]
        }
        #expect(found == count)
    }

    @Test("of one platform's ranking is none of another's")
    func platforms() async throws {
        let world = try await World.shared
        let first = try world.get("/api/v1/platforms/ps3/ranking?limit=5").object
        let next = try #require(first.string("nextCursor"))
        #expect(try world.get("/api/v1/platforms/9/ranking?cursor=\(next)").status == 200)
        try expectProblem(
            world.get("/api/v1/platforms/48/ranking?cursor=\(next)"), 400, "another platform")
        #expect(try world.get("/platforms/ps4--1?cursor=\(next)").status == 400)
    }

    @Test("stands in a link in which nothing breaks out of it")
    func escaping() async throws {
        let response = try await World.shared.get(
            "/api/v1/entries?search=%3E%22%2C%20%3Cx%3E%0D%0A&limit=1")
        #expect(response.status == 200)
        #expect(
            response["link"]
                == "<https://fave.example/api/v1/entries?search=%3E%22%2C%20%3Cx%3E%0D%0A&limit=1>"
                + "; rel=\"first\"")
    }
}

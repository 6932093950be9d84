import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("A feed", .blocking)
struct FeedTests {
    private let lists: SharedLists
    private let world: World

    init() async throws {
        lists = try await SharedLists.shared
        world = try await World.shared
    }

    private func feed(_ response: RawResponse) throws -> XMLTree {
        #expect(response.status == 200)
        #expect(response["content-type"] == "application/atom+xml")
        let feed = try XMLTree.parse(response.bytes)
        #expect(feed.name == "feed")
        #expect(feed.attributes["xmlns"] == "http://www.w3.org/2005/Atom")
        // RFC 4287: each exactly once, in a feed and in its entries.
        for element in [feed] + feed.all("entry") {
            for name in ["id", "title", "updated"] { #expect(element.all(name).count == 1) }
            let ids = element["id"] ?? ""
            #expect(ids.hasPrefix("urn:uuid:") || ids.hasPrefix("tag:fave.example,2026:"))
            let updated = element["updated"] ?? ""
            #expect(updated.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
            for link in element.all("link") {
                #expect(link.attributes["href"]?.hasPrefix("https://fave.example/") == true)
            }
        }
        #expect(feed.all("author").first?["name"]?.isEmpty == false)
        #expect(
            Set(feed.all("entry").map { $0["id"] }).count == feed.all("entry").count, "no id twice")
        return feed
    }

    private func link(_ element: XMLTree, _ relation: String) -> String? {
        let links = element.all("link").filter { $0.attributes["rel"] == relation }
        return links.count == 1 ? links[0].attributes["href"] : nil
    }

    @Test("of a list has an entry for each of its entries")
    func list() throws {
        let feed = try feed(world.get("/@rob/feed"))
        #expect(feed["title"] == "rob’s favourite games")
        #expect(link(feed, "self") == "https://fave.example/@rob/feed")
        #expect(link(feed, "alternate") == "https://fave.example/@rob")
        let entries = feed.all("entry")
        #expect(
            entries.map { $0["title"] } == [
                "1. Portal (PC (Microsoft Windows))", "2. Diablo III (PlayStation 4)",
                "3. The Last Guardian (PlayStation 4)",
            ])
        #expect(
            entries.map { $0["content"] } == ["The cake is a lie.", nil, "Trico.\n\nGood boy."])
        #expect(entries[0].all("content")[0].attributes["type"] == "text")
        #expect(link(entries[1], "alternate") == "https://fave.example/@rob#2")
    }

    @Test("is well-formed and says what people wrote, whatever they wrote")
    func evil() throws {
        let feed = try feed(lists.get("/@evil/feed"))
        let name = "\(SharedLists.nameInXML)’s favourite games"
        #expect(feed["title"].map { Array($0.utf8) } == Array(name.utf8))
        let comment = feed.all("entry").first?["content"]
        #expect(comment.map { Array($0.utf8) } == Array(SharedLists.commentInXML.utf8))
    }

    @Test("of a platform has its ranking")
    func ranking() throws {
        let ranking = try feed(world.get("/platforms/xbox360/feed"))
        #expect(ranking["title"] == "Most loved games on Xbox 360")
        #expect(ranking["id"] == "tag:fave.example,2026:platforms/12")
        #expect(link(ranking, "self") == "https://fave.example/platforms/xbox360/feed")
        #expect(link(ranking, "alternate") == "https://fave.example/platforms/xbox360")
        let first = try #require(ranking.all("entry").first)
        #expect(first["id"] == "tag:fave.example,2026:platforms/12/games/73")
        #expect(first["title"]?.hasPrefix("1. ") == true)
        #expect(first["content"] == "On 35 lists.")
        #expect(link(first, "alternate") == "https://fave.example/platforms/xbox360/games/73")
        #expect(first["updated"] == ranking["updated"])
        #expect(first["updated"] != "1970-01-01T00:00:00Z")
        #expect(try feed(world.get("/platforms/ps3/feed")).all("entry").count == 20)
        #expect(try feed(world.get("/platforms/switch/feed")).all("entry").isEmpty)
    }

    @Test("gives away nothing of those whose lists are not public")
    func unlisted() throws {
        let feed = try feed(lists.get("/platforms/win/feed"))
        #expect(feed.all("entry").map { $0["content"] } == ["On 1 list."])
        #expect(feed["updated"] == "1970-01-01T00:00:00Z", "not when it was that it came")
        #expect(try self.feed(lists.get("/@quiet/feed")).all("entry").count == 1)
        for name in SharedLists.hidden {
            try expectProblem(lists.get("/@\(name)/feed"), 404)
        }
    }

    @Test("is kept from its owner, too, when it is private: a reader of feeds has no session")
    func owner() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            try server.execute("UPDATE users SET visibility = 'private'")
            #expect(try rob.get("/@rob").status == 200)
            for path in ["/@rob/feed", "/@rob/embed"] {
                #expect(try rob.get(path).status == 404)
            }
        }
    }

    @Test(
        "has one address",
        arguments: [
            ("/@Open/feed", 301, "/@open/feed"), ("/@open/%66eed", 301, "/@open/feed"),
            ("/@before/feed", 307, "/@after/feed"),
            ("/platforms/48/feed", 301, "/platforms/ps4--1/feed"),
        ])
    func addresses(path: String, status: Int, target: String) throws {
        let response = try lists.get(path)
        #expect(response.status == status)
        #expect(response["location"] == target)
    }

    @Test(
        "that is none is 404",
        arguments: ["/@nobody/feed", "/@x/feed", "/platforms/none/feed", "/platforms/0/feed"])
    func unknown(path: String) throws {
        try expectProblem(lists.get(path), 404)
    }

    @Test("is not sent to a reader that has it", arguments: ["/@rob/feed", "/platforms/ps3/feed"])
    func conditional(path: String) throws {
        let first = try world.get(path)
        let tag = try #require(first["etag"])
        #expect(first["last-modified"] == nil, "a new name is no change of the list")
        #expect(["Accept-Encoding", nil].contains(first["vary"]), "it is the same for all")
        let again = try world.get(path, [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(again["etag"] == tag)
        #expect(again["content-type"] == nil)
        #expect(again.bytes.isEmpty)
        #expect(try world.get(path, [("If-None-Match", "\"old\"")]).status == 200)
    }

    @Test("keeps the ids of its entries when they change places")
    func ids() async throws {
        try await TestServer.run { server in
            let token = try await server.makeUser("rob")
            func put(_ entries: String...) throws -> [String: Any] {
                let entries = entries.joined(separator: ", ")
                let response = try server.send(
                    "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
                    json: "{\"entries\": [\(entries)]}")
                #expect(response.status == 200)
                return try response.object
            }
            func ids() throws -> [String?] {
                try feed(server.send("GET", "/@rob/feed")).all("entry").map { $0["id"] }
            }
            let portal = #"{"gameId": 71, "platformId": 6}"#
            let diablo = #"{"gameId": 120, "platformId": 48}"#
            let list = try put(portal, diablo)
            let before = try ids()
            #expect(
                before == list.objects("entries").map { "urn:uuid:\($0.string("id") ?? "none")" })
            _ = try put(diablo, portal)
            #expect(try ids() == before.reversed())
        }
    }

    @Test(
        "of a platform has ids that belong to the site, wherever it is",
        arguments: [
            ("https://Fave.example", "fave.example"), ("http://127.0.0.1:8080", "127.0.0.1"),
            ("https://fave-games.example/x", "fave-games.example"), ("http://[::1]:80", "--1"),
            ("https://b\u{FC}cher.example", "b-cher.example"),
        ])
    func authorities(publicURL: String, authority: String) {
        #expect(
            AtomFeed.id("platforms/1", of: WebSettings(publicURL: publicURL))
                == "tag:\(authority),2026:platforms/1")
    }

    @Test("is told of by the page that shows the same")
    func discovery() throws {
        for (page, path) in [
            ("/@open", "/@open/feed"), ("/@quiet", "/@quiet/feed"),
            ("/platforms/ps4--1", "/platforms/ps4--1/feed"),
        ] {
            #expect(
                try lists.get(page).text.contains(
                    "<link rel=\"alternate\" type=\"application/atom+xml\" href=\"\(path)\""))
        }
        #expect(try !lists.get("/games/120").text.contains("atom+xml"))
    }
}

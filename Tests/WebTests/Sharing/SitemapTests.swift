import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("The sitemap", .blocking)
struct SitemapTests {
    private static let root = "https://fave.example"

    private let lists: SharedLists

    init() async throws { lists = try await SharedLists.shared }

    private func parse(_ response: RawResponse, _ root: String) throws -> XMLTree {
        #expect(response.status == 200)
        #expect(response["content-type"] == "application/xml")
        let tree = try XMLTree.parse(response.bytes)
        #expect(tree.name == root)
        #expect(tree.attributes["xmlns"] == "http://www.sitemaps.org/schemas/sitemap/0.9")
        return tree
    }

    /// What the elements of a sitemap or of an index name, as paths.
    private func paths(_ tree: XMLTree) throws -> [String] {
        try tree.children.map { element in
            let address = try #require(element["loc"])
            try #require(address.hasPrefix(Self.root + "/"))
            return String(address.dropFirst(Self.root.count))
        }
    }

    @Test("names parts, and these name everything that is public, once, and nothing else")
    func all() throws {
        let index = try parse(lists.get("/sitemap.xml"), "sitemapindex")
        let parts = try paths(index)
        #expect(parts.first == "/sitemap.xml?part=pages")
        #expect(Set(parts).count == parts.count)
        var all: [String] = []
        for part in parts { all += try paths(parse(lists.get(part), "urlset")) }
        #expect(
            all.sorted() == [
                "/", "/@after", "/@evil", "/@open", "/games", "/games/120", "/games/71",
                "/platforms", "/platforms/ps4--1", "/platforms/win", "/users",
            ])
        for path in all { #expect(try lists.get(path).status == 200, "\(path)") }
    }

    @Test("says when lists changed")
    func modified() throws {
        let part = try parse(lists.get("/sitemap.xml?part=lists-0"), "urlset")
        #expect(part.children.count == 3)
        for list in part.children {
            let feed = try XMLTree.parse(
                lists.get((list["loc"] ?? "").dropFirst(Self.root.count) + "/feed").bytes)
            #expect(list["lastmod"] == feed["updated"])
        }
    }

    @Test(
        "has no part of another name",
        arguments: [
            "", "x", "lists", "lists-", "lists-1", "lists-00", "lists--1", "lists-1000000",
            "lists-999999", "games", "games-999999", "games-x", "games-0x1", "pages-0", "Pages",
            "games-1%20", "../pages", "games-\u{661}",
        ])
    func unknown(name: String) throws {
        let escaped = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        #expect(try lists.get("/sitemap.xml?part=\(escaped)").status == 404)
    }

    @Test("may be cached for an hour, and is not sent to a crawler that has it")
    func caching() throws {
        for path in ["/sitemap.xml", "/sitemap.xml?part=lists-0"] {
            let first = try lists.get(path)
            #expect(first["cache-control"] == "public, max-age=3600")
            let tag = try #require(first["etag"])
            #expect(try lists.get(path, [("If-None-Match", tag)]).status == 304)
        }
    }

    @Test("of an empty site has its pages")
    func empty() async throws {
        try await TestServer.run(.migrated) { server in
            let index = try parse(server.send("GET", "/sitemap.xml"), "sitemapindex")
            #expect(try paths(index) == ["/sitemap.xml?part=pages"])
            let pages = try parse(server.send("GET", "/sitemap.xml?part=pages"), "urlset")
            #expect(try paths(pages) == ["/", "/platforms", "/games", "/users"])
        }
    }

    @Test("has every list in one of its parts, and bounded parts, when there are many")
    func parts() async throws {
        try await TestServer.run { server in
            // Short rows, so that as many as can stand in a block.
            try server.execute(
                """
                INSERT INTO users (username, display_name)
                SELECT lpad(to_hex(n), 4, '0'), 'x' FROM generate_series(1, 25000) n;
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT id, 1, 120, 48 FROM users
                """)
            let index = try parse(server.send("GET", "/sitemap.xml"), "sitemapindex")
            let parts = try paths(index).filter { $0.contains("part=lists-") }
            #expect((5...9).contains(parts.count))
            var names: [String] = []
            for part in parts {
                let part = try paths(parse(server.send("GET", part), "urlset"))
                #expect((1...4_800).contains(part.count))
                names += part
            }
            #expect(names.count == 25_000)
            #expect(Set(names).count == 25_000)
        }
    }

    @Test("of games goes from one part to the next that has any")
    func games() async throws {
        try await TestServer.run(.migrated) { server in
            try server.execute(
                """
                INSERT INTO platforms (id, slug, name) VALUES (1, 'one', 'One'), (2, 'two', 'Two');
                INSERT INTO games (id, name)
                SELECT id, 'Game ' || id
                FROM unnest('{1, 9999, 10000, 30000, 2147483647}'::integer[]) id;
                INSERT INTO game_platforms SELECT g.id, p.id FROM games g, platforms p;
                INSERT INTO users (username, display_name) VALUES ('rob', 'Rob'), ('ada', 'Ada');
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT u.id, row_number() OVER (PARTITION BY u.id ORDER BY g.id), g.id, p.id
                FROM users u JOIN platforms p ON (u.username = 'rob') = (p.id = 1), games g
                """)
            let index = try parse(server.send("GET", "/sitemap.xml"), "sitemapindex")
            let parts = try paths(index).filter { $0.contains("games") }
            #expect(
                parts == [0, 1, 3, 214_748].map { "/sitemap.xml?part=games-\($0)" })
            let games = try parts.map { try paths(parse(server.send("GET", $0), "urlset")) }
            #expect(
                games == [
                    ["/games/1", "/games/9999"], ["/games/10000"], ["/games/30000"],
                    ["/games/2147483647"],
                ])
        }
    }

    @Test("is named by robots.txt, which keeps crawlers from what is for one person")
    func robots() throws {
        let response = try lists.get("/robots.txt")
        #expect(response.status == 200)
        #expect(response["content-type"] == "text/plain; charset=utf-8")
        let lines = response.text.components(separatedBy: "\n")
        #expect(lines.first == "User-agent: *")
        #expect(lines.contains("Sitemap: https://fave.example/sitemap.xml"))
        let refused = lines.prefix { !$0.isEmpty }.filter { $0.hasPrefix("Disallow: ") }.map {
            $0.dropFirst(10)
        }
        for path in ["/me", "/settings", "/sign-in", "/sign-up", "/sign-out", "/api/v1/me/list"] {
            #expect(refused.contains { path.hasPrefix($0) }, "\(path)")
        }
        for path in [
            "/", "/@open", "/platforms/ps4--1", "/games/120", "/users", "/sitemap.xml",
            "/api/v1/platforms", "/assets/site.css", "/@open/feed",
        ] {
            #expect(!refused.contains { path.hasPrefix($0) }, "\(path)")
        }
    }

    @Test("is all that crawlers that train models may read, unless the operator allows them more")
    func aiCrawlers() async throws {
        let lines = try lists.get("/robots.txt").text.components(separatedBy: "\n")
        // One group of lines, which ends with what all of its crawlers may not read.
        let start = try #require(lines.firstIndex(of: "User-agent: GPTBot"))
        let group = lines[start...].prefix { !$0.isEmpty }
        #expect(group.last == "Disallow: /")
        #expect(lines.filter { $0 == "Disallow: /" }.count == 1)
        for name in Robots.aiCrawlers { #expect(lines.contains("User-agent: \(name)")) }
        for name in ["Googlebot", "Bingbot", "Applebot", "ChatGPT-User", "facebookexternalhit"] {
            #expect(!lines.contains("User-agent: \(name)"))
        }
        try await TestServer.run(settings: ["AI_CRAWLERS": "allowed"]) { server in
            let text = try server.send("GET", "/robots.txt").text
            #expect(text.components(separatedBy: "User-agent").count == 2)
            #expect(text.contains("\n\nSitemap: "))
            #expect(!text.contains("\n\n\n"))
        }
    }
}

import TestSupport
import Testing

@testable import Web

@Suite("A response in gzip", .blocking)
struct CompressionTests {
    private let world: World

    init() async throws { world = try await World.shared }

    private static let gzip = [("Accept-Encoding", "gzip, deflate, br")]

    private static let codable = [
        "/", "/platforms", "/@ada", "/api/v1/platforms", "/api/v1/platforms/ps3/ranking",
        "/platforms/ps3/feed", "/assets/site.css", "/assets/editor.js", "/@rob/embed",
        "/api/v1/entries", "/api/problems",
    ]

    @Test("holds the same, with a tag of its own", arguments: codable)
    func same(path: String) throws {
        let plain = try world.get(path)
        #expect(plain["content-encoding"] == nil)
        #expect(plain["vary"]?.contains("Accept-Encoding") == true)
        let coded = try world.get(path, Self.gzip)
        #expect(coded.status == 200)
        #expect(coded["content-encoding"] == "gzip")
        #expect(coded["content-type"] == plain["content-type"])
        #expect(coded["cache-control"] == plain["cache-control"])
        #expect(coded["vary"] == plain["vary"])
        #expect(coded.bytes.count < plain.bytes.count * 3 / 4)
        #expect(try Gunzip.decompress(coded.bytes) == plain.bytes)
        let tag = try #require(plain["etag"])
        #expect(tag.hasPrefix("\""), "strong")
        #expect(coded["etag"] == String(tag.dropLast()) + "-gzip\"")
    }

    @Test("is not sent to a client that has it in that form", arguments: codable)
    func conditional(path: String) throws {
        let plain = try #require(world.get(path)["etag"])
        let coded = try #require(world.get(path, Self.gzip)["etag"])
        for (tag, fields, status) in [
            (plain, [], 304), (coded, Self.gzip, 304), (coded, [], 200), (plain, Self.gzip, 200),
        ] {
            let response = try world.get(path, fields + [("If-None-Match", tag)])
            #expect(response.status == status, "\(tag)")
            #expect(response["vary"]?.contains("Accept-Encoding") == true)
            if status == 304 {
                #expect(response["etag"] == tag)
                #expect(response["content-encoding"] == nil)
                #expect(response.bytes.isEmpty)
            }
        }
    }

    @Test("is told to HEAD, too")
    func head() throws {
        let get = try world.get("/platforms", Self.gzip)
        let head = try world.server.send("HEAD", "/platforms", fields: Self.gzip)
        #expect(head["content-encoding"] == "gzip")
        #expect(head["content-length"] == String(get.bytes.count))
        #expect(head["etag"] == get["etag"])
    }

    @Test(
        "is not what a client gets that does not take it",
        arguments: ["identity", "br", "gzip;q=0", "", "gzip;q=0.1, identity;q=0.5"])
    func refused(value: String) throws {
        let response = try world.get("/platforms", [("Accept-Encoding", value)])
        #expect(response["content-encoding"] == nil)
        #expect(response.text.hasSuffix("</html>\n"))
    }

    @Test(
        "is not made of what is small, of pictures, or of errors",
        arguments: ["/ping", "/api/v1/platforms/48", "/favicon.ico", "/nothing", "/api/v1/nothing"])
    func plain(path: String) throws {
        let response = try world.get(path, Self.gzip)
        #expect(response["content-encoding"] == nil)
        #expect(response["vary"]?.contains("Accept-Encoding") != true)
    }

    /// What SECURITY.md says of pages for people who are signed in.
    @Test("has no secret that is the same in two responses, whatever page someone opens")
    func masked() async throws {
        try await TestServer.run { server in
            let rob = Browser(server)
            try rob.signUp("rob")
            _ = try server.send(
                "PUT", "/api/v1/me/list", token: try await server.token(of: "rob"),
                fields: [("If-Match", "*")],
                json: #"{"entries": [{"gameId": 71, "platformId": 6, "comment": "Why."}]}"#)
            try server.execute(
                """
                SELECT make_circle(id, 'Couch ' || v, '', v)
                FROM users, unnest('{public,members}'::text[]) v
                """)
            let session = try server.database.session()
            let slugs = try session.query("SELECT slug, visibility FROM circles ORDER BY 2")
            let values = [
                "username": "rob", "platform": "win", "game": "71", "circle": try slugs[0][0],
            ]
            var compressed: Set<String> = []
            // The page on the API has examples of secrets, which are the same for everyone.
            for route in Routes.all
            where route.method == .get && route.kind == .page && route.pattern != "/api" {
                var target = route.pattern
                for (name, value) in values { target = target.replacing("{\(name)}", with: value) }
                guard !target.contains("{") else { continue }
                let pages = try (0..<2).map { _ in try rob.get(target, fields: Self.gzip) }
                guard pages.allSatisfy({ $0["content-encoding"] == "gzip" }) else { continue }
                compressed.insert(route.pattern)
                let secrets = try pages.map { page in
                    let text = String(decoding: try Gunzip.decompress(page.bytes), as: UTF8.self)
                    return Set(text.matches(of: /[A-Za-z0-9_\-]{22,}/).map(\.0))
                        .filter { $0.contains(/[0-9]/) && $0.contains(/[A-Z]/) }
                }
                #expect(secrets[0].isDisjoint(with: secrets[1]), "\(target)")
            }
            #expect(compressed.isSuperset(of: ["/", "/@{username}", "/games/{game}", "/entries"]))
            #expect(compressed.isDisjoint(with: ["/circles", "/circles/{circle}", "/following"]))
        }
    }

    @Test("never holds a secret beside what a stranger may have typed, or what a token opens")
    func secrets() async throws {
        try await TestServer.run { server in
            let rob = Browser(server)
            try rob.signUp("rob")
            for target in [
                "/me", "/games?search=portal", "/entries?search=x", "/users?search=rob",
                "/settings", "/settings/export", "/sign-out", "/nothing",
            ] {
                let page = try rob.get(target, fields: Self.gzip)
                #expect(page["content-encoding"] == nil, "\(target)")
            }
            for target in ["/", "/@rob", "/games/71", "/entries", "/platforms"] {
                let page = try rob.get(target, fields: Self.gzip)
                #expect(page["content-encoding"] == "gzip", "\(target)")
                // Its form's token is masked anew each time, so a tag would never match.
                #expect(page["etag"] == nil, "\(target)")
                #expect(try rob.get(target, fields: Self.gzip).bytes != page.bytes, "\(target)")
            }
            for target in ["/sign-in", "/sign-up", "/games/71", "/"] {
                let page = try server.send("GET", target, fields: Self.gzip)
                let hasToken = page.text.contains("name=\"token\"")
                #expect(hasToken == target.hasPrefix("/sign-"), "\(target)")
                #expect((page["content-encoding"] == nil) == hasToken, "\(target)")
            }
            let ada = try await server.makeUser("ada")
            for target in ["/api/v1/me", "/api/v1/me/list", "/api/v1/platforms"] {
                let response = try server.send("GET", target, token: ada, fields: Self.gzip)
                #expect(response.status == 200)
                #expect(response["content-encoding"] == nil, "\(target)")
            }
        }
    }
}

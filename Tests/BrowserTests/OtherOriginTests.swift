import Foundation
import TestSupport
import Testing

/// What browsers let a page of another origin do: the Fetch standard as their engines have it.
@Suite("A page of another site, in a browser", .blocking, .thorough)
struct OtherOriginTests {
    private struct Response<Body: Decodable>: Decodable {
        let status: Int
        /// Those that the page may read, by their names in lower case.
        let headers: [String: String]
        let body: Body
    }

    private struct Nothing: Decodable {
        init(from decoder: any Decoder) {}
    }

    private struct FaveList: Decodable {
        struct Entry: Decodable {
            struct Game: Decodable { let id: Int }

            let game: Game
            let comment: String
        }

        let entries: [Entry]
    }

    private struct Ranking: Decodable {
        struct Game: Decodable {
            struct Game: Decodable { let id: Int }

            let game: Game
            let includedBy: Int
        }

        let games: [Game]
    }

    private static let password = World.password

    private static func entry(_ game: Int, _ comment: String = "") -> [String: Any] {
        ["gameId": game, "platformId": 48, "comment": comment]
    }

    @Test("signs someone up and in, keeps their list, and reads the ranking page by page")
    func journey() async throws {
        try await FrontEnd.run { page in
            try page.connect(.second)
            let user: Response<Nothing> = try page.call("signUp", "rob", Self.password)
            #expect(user.status == 201)
            #expect(user.headers["location"] == "/api/v1/users/rob")
            let session: Response<Nothing> = try page.call("signIn", "rob", Self.password)
            #expect(session.status == 201)

            let empty: Response<FaveList> = try page.call("myList")
            #expect(empty.body.entries.isEmpty)
            let first = try #require(empty.headers["etag"])
            let saved: Response<FaveList> = try page.call(
                "replaceList", [Self.entry(120, "Stay awhile."), Self.entry(117)], first)
            #expect(saved.status == 200)
            #expect(saved.body.entries.map(\.game.id) == [120, 117])
            #expect(saved.body.entries[0].comment == "Stay awhile.")
            let second = try #require(saved.headers["etag"])
            #expect(second != first)
            // What another tab has meanwhile.
            let late = try page.failure("replaceList", [Self.entry(117)], first)
            #expect(late.status == 412)
            #expect(late.members?.type?.isEmpty == false)
            let id = late.headers?["x-request-id"] ?? ""
            #expect(!id.isEmpty)
            let again: Response<FaveList> = try page.call(
                "replaceList", [Self.entry(117), Self.entry(120)], second)
            #expect(again.body.entries.map(\.game.id) == [117, 120])

            let pages: [Response<Ranking>] = try page.call("rankingPages", 48, 1)
            #expect(Set(pages.flatMap { $0.body.games.map(\.game.id) }) == [117, 120])
            #expect(pages.allSatisfy { $0.body.games.map(\.includedBy) == [1] })
            #expect(pages.count == 2)

            let gone: Response<String> = try page.call("signOut")
            #expect(gone.status == 204)
            #expect(try page.failure("myList").status == 401)

            for path in ["users", "sessions", "me/list", "sessions/current"] {
                #expect(page.preflights.contains("/api/v1/\(path)"), "\(path)")
            }
            #expect(!page.preflights.contains("/api/v1/platforms/48/ranking"))
        }
    }

    @Test("keeps someone's list, and asks only whether it has changed")
    func notModified() async throws {
        try await FrontEnd.run { page in
            try await Self.makeList(of: "rob", [117], on: page.server)
            try page.connect(.second)
            let list: Response<FaveList> = try page.call("list", "rob")
            #expect(list.body.entries.map(\.game.id) == [117])
            #expect(page.preflights.isEmpty)
            let tag = try #require(list.headers["etag"])
            let same: Response<String> = try page.call("list", "rob", tag)
            #expect(same.status == 304)
            #expect(same.body.isEmpty)
            #expect(same.headers["etag"] == tag)
            #expect(page.preflights == ["/api/v1/users/rob/list"])
            let changed: Response<FaveList> = try page.call("list", "rob", "\"another\"")
            #expect(changed.status == 200)
            #expect(changed.body.entries.count == 1)
        }
    }

    @Test("reads how long it has to wait")
    func tooMany() async throws {
        try await FrontEnd.run(settings: ["API_WRITES_PER_MINUTE": "1"]) { page in
            try page.connect(.second)
            var failures: [Failure] = []
            for number in 1...20 where failures.last?.status != 429 {
                failures.append(try page.failure("signIn", "nobody-\(number)", "wrong"))
            }
            let last = try #require(failures.last)
            #expect(last.status == 429)
            #expect(last.headers?["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            #expect(last.headers?["ratelimit"]?.isEmpty == false)
            #expect(last.headers?["ratelimit-policy"]?.isEmpty == false)
        }
    }

    @Test("sees that it sends too much")
    func tooLong() async throws {
        try await FrontEnd.run { page in
            try page.connect(.second)
            let password = String(repeating: "x", count: 100_000)
            let failure = try page.failure("signUp", "rob", password)
            #expect(failure.status == 413, "\(failure)")
            #expect(failure.headers?["x-request-id"]?.isEmpty == false)
        }
    }

    @Test(
        "reads, and writes with a token, but signs nobody up or in, where others may",
        arguments: ["http://app.example", "none"])
    func refused(origins: String) async throws {
        try await FrontEnd.run(allowing: { _ in origins }) { page in
            let token = try await Self.makeList(of: "rob", [117], on: page.server)
            try page.connect(.second)
            let list: Response<FaveList> = try page.call("list", "rob")
            #expect(list.body.entries.count == 1)
            let tag = try #require(list.headers["etag"])
            let same: Response<String> = try page.call("list", "rob", tag)
            #expect(same.status == 304)

            // It needs no token, and is made by nobody.
            let signUp = try page.failure("signUp", "eve", Self.password)
            #expect(signUp.name == "TypeError")
            #expect(signUp.status == nil)

            // What needs no preflight comes, and is refused. The page sees why.
            let status: Int = try page.browser.evaluate(
                """
                const [url] = arguments;
                return fetch(url, { method: "POST", body: "{}" }).then((response) => response.status);
                """, "\(page.api)/api/v1/sessions")
            #expect(status == 403)
            let sent = page.requests.filter { !$0.hasPrefix("OPTIONS ") }
            #expect(
                sent == [
                    "PUT /api/v1/me/list 200", "GET /api/v1/users/rob/list 200",
                    "GET /api/v1/users/rob/list 304", "POST /api/v1/sessions 403",
                ])

            try page.connect(.second, token: token)
            let saved: Response<FaveList> = try page.call("replaceList", [Self.entry(120)], tag)
            #expect(saved.body.entries.map(\.game.id) == [120])
            #expect(try page.failure("replaceList", [Self.entry(117)], tag).status == 412)
            try page.connect(.first, token: token)
            #expect(try page.failure("edit", Self.nobody, "x").status == 404)
            try page.connect(.second, token: "expired")
            let failure = try page.failure("myList")
            #expect(failure.status == 401)
            #expect(failure.headers?["www-authenticate"]?.contains("invalid_token") == true)
        }
    }

    @Test("writes where it is among those that may")
    func listed() async throws {
        try await FrontEnd.run(allowing: { "http://app.example, \($0)" }) { page in
            try page.connect(.second)
            let user: Response<Nothing> = try page.call("signUp", "rob", Self.password)
            #expect(user.status == 201)
            let _: Response<Nothing> = try page.call("signIn", "rob", Self.password)
            let empty: Response<FaveList> = try page.call("myList")
            let tag = try #require(empty.headers["etag"])
            let saved: Response<FaveList> = try page.call("replaceList", [Self.entry(117)], tag)
            #expect(saved.body.entries.count == 1)
            let list: Response<FaveList> = try page.call("list", "rob")
            #expect(list.body.entries.count == 1)
        }
    }

    @Test("reads no pages")
    func pages() async throws {
        try await FrontEnd.run { page in
            for path in ["/", "/platforms", "/sign-in"] {
                let isRefused: Bool = try page.browser.evaluate(
                    """
                    const [url] = arguments;
                    return fetch(url)
                      .then(() => false, (error) => error.name === "TypeError");
                    """, page.api + path)
                #expect(isRefused, "\(path)")
                #expect(page.requests.last == "GET \(path) 200")
            }
        }
    }

    private static let nobody = "00000000-0000-4000-8000-000000000000"

    /// - Returns: A token of whose it is.
    @discardableResult
    private static func makeList(
        of username: String, _ games: [Int], on server: TestServer
    ) async throws -> String {
        let token = try await server.makeUser(username)
        let json = try JSONSerialization.data(
            withJSONObject: ["entries": games.map { entry($0) }])
        let response = try server.send(
            "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
            json: String(decoding: json, as: UTF8.self))
        guard response.status == 200 else { throw TestFailure(response.text) }
        return token
    }
}

import TestSupport
import Testing

@testable import Web

@Suite("What the API says to caches", .blocking)
struct APICachingTests {
    private static let readPaths = [
        "/api/v1/platforms", "/api/v1/platforms/48", "/api/v1/platforms/48/ranking",
        "/api/v1/platforms/48/games/120/entries", "/api/v1/games?ids=71", "/api/v1/games/71",
        "/api/v1/users?search=rob", "/api/v1/users/rob", "/api/v1/users/rob/list",
        "/api/v1/entries",
    ]

    @Test("is that public reads are for all, and must be asked about anew", arguments: readPaths)
    func reads(path: String) async throws {
        let world = try await World.shared
        let response = try world.get(path)
        #expect(response.status == 200)
        #expect(response["cache-control"] == "no-cache")
        #expect(response["vary"]?.contains("Authorization") == true)
        let tag = try #require(response["etag"])
        #expect(tag.hasPrefix("\""), "strong")
        let same = try world.get(path, [("If-None-Match", tag)])
        #expect(same.status == 304)
        #expect(same["cache-control"] == response["cache-control"])
        #expect(same["vary"] == response["vary"])
        #expect(same["etag"] == tag)
        #expect(same.bytes.isEmpty)
    }

    @Test("is that nobody keeps what a token opens", arguments: readPaths + ["/api/v1/me/list"])
    func tokens(path: String) async throws {
        let world = try await World.shared
        let response = try world.server.send("GET", path, token: world.rob)
        #expect(response.status == 200)
        #expect(response["cache-control"] == "private, no-store")
        let tag = try #require(response["etag"])
        let same = try world.server.send(
            "GET", path, token: world.rob, fields: [("If-None-Match", tag)])
        #expect(same.status == 304)
        #expect(same["cache-control"] == "private, no-store")
    }

    @Test("is that nobody keeps an error", arguments: ["/api/v1/nothing", "/api/v1/me"])
    func errors(path: String) async throws {
        #expect(try await World.shared.get(path)["cache-control"] == "no-store")
    }

    @Test("is what the operator wants", arguments: [("0", "no-cache"), ("60", "s-maxage=60")])
    func setting(seconds: String, expected: String) async throws {
        try await TestServer.run(settings: ["API_CACHE_SECONDS": seconds]) { server in
            let response = try server.send("GET", "/api/v1/platforms")
            #expect(response["cache-control"]?.hasSuffix(expected) == true)
        }
    }
}

import TestSupport
import Testing

@Suite("The number of requests to the API", .blocking)
struct RateLimitsTests {
    private static let policy = #""address-reads";q=3;w=60"#

    @Test("is told with every response, and 429 says when to come back")
    func responses() async throws {
        let settings = [
            "API_READS_PER_MINUTE": "3", "API_WRITES_PER_MINUTE": "1", "CACHE_MEGABYTES": "0",
        ]
        try await TestServer.run(.migrated, settings: settings) { server in
            let path = "/api/v1/platforms"
            let responses = try server.sendAtOnce([path, path, "/api/v1/nothing", path]) {
                $0 == 1 ? [("If-None-Match", "*")] : []
            }
            let (first, same, refused) = (responses[0], responses[1], responses[3])
            #expect(first["ratelimit-policy"] == Self.policy)
            #expect(first["ratelimit"]?.hasPrefix(#""address-reads";r=2;t="#) == true)
            // To find that it was right was the same work.
            #expect(same.status == 304)
            #expect(same["ratelimit"]?.hasPrefix(#""address-reads";r=1;t="#) == true)
            try expectProblem(responses[2], 404)
            let problem = try expectProblem(refused, 429, "limit of 3 units")
            #expect(problem.string("type")?.hasSuffix("/too-many-requests") == true)
            #expect((1...30).contains(Int(refused["retry-after"] ?? "") ?? 0))
            #expect(refused["ratelimit-policy"] == Self.policy)
            #expect(refused["ratelimit"]?.hasPrefix(#""address-reads";r=0;t="#) == true)
            // Other things have limits of their own.
            try expectProblem(try server.send("POST", "/api/v1/sessions", json: "{}"), 422)
            try expectProblem(try server.send("POST", "/api/v1/sessions", json: "{}"), 429)
            for path in ["/", "/oembed", "/ping", "/api/problems"] {
                let page = try server.send("GET", path)
                #expect(page.status != 429, "\(path)")
                #expect(page["ratelimit"] == nil)
            }
            #expect(try server.send("OPTIONS", "/api/v1/platforms").status == 204)
        }
    }

    @Test("is each user's, too, wherever they come from")
    func users() async throws {
        let settings = ["API_READS_PER_MINUTE": "2", "TRUSTED_PROXIES": "127.0.0.1"]
        try await TestServer.run(settings: settings) { server in
            let rob = try await server.makeUser("rob")
            let ada = try await server.makeUser("ada")
            func get(_ token: String, from addresses: Range<Int>) throws -> [RawResponse] {
                let addresses = addresses.map { "192.0.2.\($0)" }
                return try server.sendAtOnce(addresses.map { _ in "/api/v1/me" }) {
                    [("Authorization", "Bearer \(token)"), ("X-Forwarded-For", addresses[$0])]
                }
            }
            let robs = try get(rob, from: 1..<4)
            #expect(robs.map(\.status) == [200, 200, 429])
            #expect(
                robs[0]["ratelimit-policy"]
                    == #""address-reads";q=2;w=60, "user-reads";q=2;w=60"#)
            try expectProblem(robs[2], 429, "Reads from you ")
            #expect(try get(ada, from: 4..<6).map(\.status) == [200, 200])
            // One network counts as one address. What a loop has cached would cost less.
            let network = try server.sendAtOnce([6, 48, 130].map { "/api/v1/platforms/\($0)" }) {
                [("X-Forwarded-For", "2001:db8::\($0 + 1)")]
            }
            #expect(network.prefix(2).allSatisfy { $0.status == 200 })
            try expectProblem(network[2], 429, "your address")
        }
    }
}

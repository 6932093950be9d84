import Foundation
import Sockets
import TestSupport
import Testing

@testable import Web

@Suite("The number of requests to the API", .timeLimit(.minutes(2)))
struct RateLimiterTests {
    private static func limiter(reads: Int, writes: Int = 1, capacity: Int = 100) -> RateLimiter {
        var limits = RateLimits()
        limits.reads = reads
        limits.writes = writes
        return RateLimiter(limits, capacity: capacity)
    }

    /// A key of one of many networks, which differ as the names do.
    private static func key(_ name: String, isRead: Bool = true) -> RateLimiter.Key {
        let number = name.utf8.reduce(UInt64(0)) { $0 &* 131 &+ UInt64($1) }
        let text = (0..<4).map {
            String(UInt16(truncatingIfNeeded: number >> ($0 * 16)), radix: 16)
        }
        let network = IPNetwork("2001:db8:\(text.joined(separator: ":"))::")
        guard let network else { preconditionFailure("\(text) is no address") }
        return RateLimiter.Key(client: .address(network), isRead: isRead)
    }

    private static func second(_ number: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + Int64(number * 1_000_000_000))
    }

    @Test("runs out, and comes back little by little")
    func refills() throws {
        let limiter = Self.limiter(reads: 3)
        let key = Self.key("a")
        for remaining in [2, 1, 0] {
            let level = try #require(limiter.take(key, at: Self.second(0)))
            #expect(level.remaining == remaining)
            #expect(level.reset == (3 - remaining) * 20)
            #expect(level.retryAfter == nil)
        }
        #expect(limiter.take(key, at: Self.second(0))?.retryAfter == 20)
        #expect(limiter.take(key, at: Self.second(19))?.retryAfter == 1)
        #expect(limiter.take(key, at: Self.second(20))?.retryAfter == nil)
        #expect(limiter.take(key, at: Self.second(20))?.retryAfter == 20)
        #expect(limiter.take(key, at: Self.second(200))?.remaining == 2, "never more than all")
    }

    @Test("does not mind a clock that was read a little earlier")
    func earlier() {
        let limiter = Self.limiter(reads: 3)
        #expect(limiter.take(Self.key("a"), at: Self.second(5))?.remaining == 2)
        #expect(limiter.take(Self.key("a"), at: Self.second(4))?.remaining == 1)
    }

    @Test("is each client's own, and reads and writes are counted apart")
    func clients() {
        let limiter = Self.limiter(reads: 1, writes: 1)
        let now = Self.second(0)
        let user = RateLimiter.Key(client: .user(UUID()), isRead: true)
        for key in [Self.key("a"), Self.key("b"), Self.key("a", isRead: false), user] {
            #expect(limiter.take(key, at: now)?.retryAfter == nil)
            #expect(limiter.take(key, at: now)?.retryAfter == 60)
        }
    }

    @Test("is given back, but never more than was taken")
    func givesBack() {
        let limiter = Self.limiter(reads: 2)
        let now = Self.second(0)
        #expect(limiter.take(Self.key("a"), at: now)?.remaining == 1)
        limiter.giveBack(Self.key("a"))
        limiter.giveBack(Self.key("a"))
        limiter.giveBack(Self.key("nobody"))
        #expect(limiter.take(Self.key("a"), at: now)?.remaining == 1)
    }

    @Test("is not counted where there is no limit")
    func off() {
        let limiter = Self.limiter(reads: 0)
        #expect(limiter.take(Self.key("a"), at: Self.second(0)) == nil)
        #expect(limiter.count == 0)
    }

    @Test("is kept for so many clients only, first for those that come often")
    func bounded() {
        let limiter = Self.limiter(reads: 1000, capacity: 10)
        let now = Self.second(0)
        for number in 0..<1000 {
            _ = limiter.take(Self.key("often"), at: now)
            _ = limiter.take(Self.key("\(number)"), at: now)
            #expect(limiter.count <= 10)
        }
        #expect(limiter.take(Self.key("often"), at: now)?.retryAfter != nil)
    }

    private static let policy = #""address-reads";q=2;w=60"#

    @Test("is told with every answer, and 429 says when to come back")
    func answers() async throws {
        let settings = ["API_READS_PER_MINUTE": "2", "API_WRITES_PER_MINUTE": "1"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let first = try server.send("GET", "/api/v1/platforms")
            #expect(first["ratelimit-policy"] == Self.policy)
            #expect(first["ratelimit"]?.hasPrefix(#""address-reads";r=1;t="#) == true)
            let tag = try #require(first["etag"])
            // What costs nothing is not counted.
            for _ in 0..<5 {
                let same = try server.send(
                    "GET", "/api/v1/platforms", fields: [("If-None-Match", tag)])
                #expect(same.status == 304)
                #expect(same["ratelimit"]?.hasPrefix(#""address-reads";r=1;t="#) == true)
            }
            try expectProblem(try server.send("GET", "/api/v1/nothing"), 404)
            let refused = try server.send("GET", "/api/v1/platforms")
            let problem = try expectProblem(refused, 429, "more than 2 reads")
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
            func get(_ token: String, from address: String) throws -> RawResponse {
                try server.send(
                    "GET", "/api/v1/me", token: token, fields: [("X-Forwarded-For", address)])
            }
            let first = try get(rob, from: "192.0.2.1")
            #expect(first.status == 200)
            #expect(
                first["ratelimit-policy"] == #""address-reads";q=2;w=60, "user-reads";q=2;w=60"#)
            #expect(try get(rob, from: "192.0.2.2").status == 200)
            try expectProblem(try get(rob, from: "192.0.2.3"), 429, "from you")
            #expect(try get(ada, from: "192.0.2.4").status == 200)
            #expect(try get(ada, from: "192.0.2.5").status == 200)
            // One network counts as one address.
            for address in ["2001:db8::1", "2001:db8::2"] {
                let response = try server.send(
                    "GET", "/api/v1/platforms", fields: [("X-Forwarded-For", address)])
                #expect(response.status == 200)
            }
            let third = try server.send(
                "GET", "/api/v1/platforms", fields: [("X-Forwarded-For", "2001:db8::3")])
            try expectProblem(third, 429, "your address")
        }
    }
}

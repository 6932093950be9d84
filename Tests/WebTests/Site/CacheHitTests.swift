import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("Responses from memory", .blocking)
struct CacheHitTests {
    private static let hit = "fave-games; hit; detail=checked"
    private static let stored = "fave-games; fwd=miss; stored"

    /// One loop, so that every request meets the same memory.
    private func run(
        _ settings: [String: String] = [:], _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(settings: ["LOOPS": "1"].merging(settings) { $1 }) { server in
            try await body(server)
        }
    }

    private static func put(_ server: TestServer, _ token: String, _ comment: String) throws {
        let response = try server.send(
            "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
            json: """
                {"entries": [{"gameId": 71, "platformId": 6, "comment": "\(comment)"}]}
                """)
        #expect(response.status == 200)
    }

    @Test(
        "are the same as those that are made, to the byte",
        arguments: [
            "/", "/platforms", "/platforms/win", "/@rob", "/@rob/feed", "/@rob/embed", "/entries",
            "/games?search=portal", "/api/v1/users/rob/list", "/api/v1/platforms/6/ranking",
            "/api/v0/games?search=portal", "/oembed?url=https://fave.example/@rob", "/sitemap.xml",
        ])
    func same(target: String) async throws {
        try await run { server in
            try Self.put(server, try await server.makeUser("rob"), "Why")
            for fields in [[], [("Accept-Encoding", "gzip")]] {
                let made = try server.send("GET", target, fields: fields)
                #expect(made.status == 200 && made["cache-status"] == Self.stored)
                for method in ["GET", "HEAD"] {
                    let cached = try server.send(method, target, fields: fields)
                    #expect(cached["cache-status"] == Self.hit)
                    #expect(cached.bytes == (method == "GET" ? made.bytes : []))
                    for name in [
                        "etag", "vary", "cache-control", "content-type", "content-encoding",
                        "content-length", "content-security-policy", "access-control-allow-origin",
                    ] { #expect(cached[name] == made[name], "\(name)") }
                    #expect(cached["x-request-id"] != made["x-request-id"])
                }
                let tag = try #require(made["etag"])
                for condition in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    let known = try server.send(
                        "GET", target, fields: fields + [("If-None-Match", condition)])
                    #expect(known.status == 304 && known.bytes.isEmpty)
                    #expect(known["cache-status"] == Self.hit)
                    #expect(known["etag"] == tag)
                }
                let other = try server.send(
                    "GET", target, fields: fields + [("If-None-Match", "\"x\"")])
                #expect(other.status == 200 && other.bytes == made.bytes)
            }
        }
    }

    @Test("end with what they were made from, at once, in every process")
    func immediate() async throws {
        try await run { server in
            let rob = try await server.makeUser("rob")
            let other = try await TestServer.beside(server, settings: ["LOOPS": "1"])
            for (number, target) in [
                "/@rob", "/api/v1/users/rob/list", "/platforms/win", "/", "/entries", "/games/71",
            ].enumerated() {
                for comment in ["first \(number)", "second \(number)"] {
                    try Self.put(server, rob, comment)
                    for process in [server, other] {
                        let made = try process.send("GET", target)
                        if target != "/" { #expect(made.text.contains(comment), "\(target)") }
                        #expect(made["cache-status"] == Self.stored)
                        #expect(try process.send("GET", target)["cache-status"] == Self.hit)
                    }
                }
            }
            let session = try server.database.session()
            func statuses(_ target: String) throws -> [Int] {
                try [server, other].map { try $0.send("GET", target).status }
            }
            for (sql, status) in [
                ("visibility = 'private'", 404), ("visibility = 'public'", 200),
                ("disabled_at = now()", 404), ("disabled_at = NULL", 200),
            ] {
                _ = try session.query("UPDATE users SET \(sql)")
                #expect(try statuses("/@rob") == [status, status], "\(sql)")
            }
            _ = try session.query("UPDATE users SET username = 'bob'")
            #expect(try statuses("/@rob") == [307, 307])
            #expect(try statuses("/@bob") == [200, 200])
            _ = try session.query("DELETE FROM users")
            #expect(try statuses("/@bob") == [404, 404])
            await other.stop()
        }
    }

    @Test("are for strangers only")
    func strangers() async throws {
        try await run { server in
            let rob = try await server.makeUser("rob")
            try Self.put(server, rob, "Why")
            let list = "/api/v1/users/rob/list"
            for target in ["/@rob", list] {
                _ = try server.send("GET", target)
                #expect(try server.send("GET", target)["cache-status"] == Self.hit)
            }
            #expect(try server.send("GET", list, token: rob)["cache-status"] == nil)
            let cookie = [("Cookie", "__Host-session=x")]
            #expect(try server.send("GET", "/@rob", fields: cookie)["cache-status"] == nil)
            // The API knows no cookies.
            #expect(try server.send("GET", list, fields: cookie)["cache-status"] == Self.hit)
            #expect(try server.send("GET", list, fields: [("If-Match", "\"x\"")]).status == 412)
        }
    }

    @Test("cost a tenth of others, and a 304 as much")
    func limits() async throws {
        try await run(["API_READS_PER_MINUTE": "3"]) { server in
            let target = "/api/v1/platforms"
            // Of thirty tenths, the first two take eleven.
            let allowed = AllowedRequests(19, perMinute: 30)
            let first = try server.sendAtOnce([target, target])
            let tag = try #require(first[0]["etag"])
            #expect(first[1]["ratelimit"]?.hasPrefix("\"address-reads\";r=1;") == true)
            let known = try server.sendAtOnce(Array(repeating: target, count: 40)) {
                [("If-None-Match", [tag, "*", "W/\(tag)"][$0 % 3])]
            }
            let count = known.count { $0.status == 304 }
            #expect(allowed.contains(count), "\(count)")
            #expect(known.count { $0.status == 429 } == 40 - count)
            let refused = try #require(known.first { $0.status == 429 })
            #expect(refused["content-type"] == "application/problem+json")
            #expect(refused["access-control-allow-origin"] == "*")
            #expect(refused["ratelimit"] != nil && refused["retry-after"] != nil)
        }
    }

    @Test("are not cached without a wish for them, or without room")
    func settings() async throws {
        try await run(["CACHE_MEGABYTES": "0"]) { server in
            for _ in 0..<2 {
                let page = try server.send("GET", "/")
                #expect(page["cache-status"] == nil)
            }
        }
        try await run(["CACHE_MEGABYTES": "1"]) { server in
            for number in 0..<400 {
                let page = try server.send("GET", "/games?search=no\(number)")
                #expect(page["cache-status"] == Self.stored)
            }
            let first = try server.send("GET", "/games?search=no0")
            #expect(first["cache-status"] == Self.stored, "it was dropped")
            #expect(try server.send("GET", "/games?search=no399")["cache-status"] == Self.hit)
        }
    }

    @Test("are used without PostgreSQL for as long as the operator allows, and say so")
    func stale() async throws {
        let cluster = try TestCluster()
        let database = try TestDatabase(.migrated, in: cluster)
        let one = ["LOOPS": "1", "CACHE_STALE_SECONDS": "3600"]
        let lenient = try await TestServer.on(database, settings: one)
        let strict = try await TestServer.on(database, settings: ["LOOPS": "1"])
        _ = try lenient.send("GET", "/entries")
        try database.session().execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name LIKE 'fave-server%'
            """)
        for server in [lenient, strict] {
            try await eventually("a response") {
                try server.send("GET", "/platforms")["cache-status"] == Self.hit
            }
        }
        try cluster.stop()
        // It was there before the connections were lost. The server that responded next was the same.
        #expect(try lenient.send("GET", "/entries").status == 200)
        let old = try lenient.send("GET", "/platforms")
        #expect(old.status == 200)
        #expect(
            old["cache-status"]?.contains(/^fave-games; hit; ttl=-\d+; detail=unchecked$/) == true)
        #expect(old["age"].flatMap { Int($0) } != nil)
        #expect(try lenient.send("GET", "/users").status == 503)
        #expect(try strict.send("GET", "/platforms").status == 503)
        await lenient.stop()
        await strict.stop()
    }
}

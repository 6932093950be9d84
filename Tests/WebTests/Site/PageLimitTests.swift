import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("The limit of pages", .blocking)
struct PageLimitTests {
    /// A server with a trusted proxy, so that a test can have many addresses.
    private func run(
        pages: Int, _ settings: [String: String] = [:], _ body: (TestServer) async throws -> Void
    ) async throws {
        let all = [
            "PAGES_PER_MINUTE": "\(pages)", "TRUSTED_PROXIES": "127.0.0.1", "CACHE_MEGABYTES": "0",
        ]
        try await TestServer.run(settings: all.merging(settings) { $1 }) { server in
            try await body(server)
        }
    }

    private static func get(
        _ server: TestServer, _ target: String, from address: String = "192.0.2.1",
        _ fields: [(String, String)] = []
    ) throws -> RawResponse {
        try server.send("GET", target, fields: fields + [("X-Forwarded-For", address)])
    }

    /// How many of many requests are served.
    private static func accepted(
        _ server: TestServer, _ target: String, from address: String = "192.0.2.1",
        _ fields: [(String, String)] = []
    ) throws -> Int {
        try (0..<40).count { _ in
            try Self.get(server, target, from: address, fields).status != 429
        }
    }

    @Test("ends with a kind page that says when to come back, and concerns nobody else")
    func kind() async throws {
        try await run(pages: 2) { server in
            let others = ["/@rob/embed", "/@rob/feed", "/oembed?url=x", "/sitemap.xml", "/nothing"]
            let responses = try server.sendAtOnce(["/", "/@nobody", "/platforms"] + others) { _ in
                [("X-Forwarded-For", "192.0.2.1")]
            }
            #expect(responses.prefix(2).allSatisfy { $0.status != 429 })
            let refused = responses[2]
            #expect(refused.status == 429)
            #expect(refused["content-type"]?.hasPrefix("text/html") == true)
            #expect(refused["cache-control"] == "no-store")
            #expect((1...30).contains(Int(refused["retry-after"] ?? "") ?? 0))
            #expect(refused["ratelimit"] == nil)
            #expect(refused.text.contains("Just a moment"))
            #expect(refused.text.contains("Nothing is lost. Try again in "))
            for (target, response) in zip(others, responses.dropFirst(3)) {
                #expect(response.status == 429, "\(target)")
            }
            #expect(try Self.get(server, "/", from: "192.0.2.2").status == 200)
            // The API has limits of its own, and what each loop has anyway costs nothing.
            for target in ["/api/v1/platforms", "/ping", "/health", "/robots.txt", "/about"] {
                #expect(try Self.get(server, target).status == 200, "\(target)")
            }
        }
    }

    @Test("counts forms, too")
    func forms() async throws {
        try await run(pages: 5) { server in
            let fields = [("X-Forwarded-For", "192.0.2.1")]
            let first = try server.send("POST", "/sign-in", fields: fields)
            #expect(first.status != 429)
            let second = try server.send("POST", "/sign-in", fields: fields)
            #expect(second.status == 429)
        }
    }

    @Test("is used up sooner by what is dearer")
    func costs() async throws {
        try await run(pages: 20) { server in
            let targets = [
                "/games", "/games?search=portal", "/users?search=", "/users?search=rob",
                "/entries?tag=funny", "/entries?tag=funny&rating=5&platform=win",
            ]
            for (number, expected) in [20, 4, 20, 4, 10, 5].enumerated() {
                let allowed = AllowedRequests(expected)
                let count = try Self.accepted(
                    server, targets[number], from: "192.0.2.\(number)")
                #expect(allowed.contains(count), "\(targets[number]): \(count)")
            }
        }
    }

    @Test("of the API is used up sooner by what is dearer, too")
    func apiCosts() async throws {
        try await run(pages: 0, ["API_READS_PER_MINUTE": "20"]) { server in
            for (number, target) in [
                "/api/v1/platforms", "/api/v1/platforms?search=switch", "/api/v1/users?search=rob",
                "/api/v1/games?search=portal", "/api/v0/games?search=portal",
            ].enumerated() {
                let response = try Self.get(server, target, from: "192.0.2.\(number)")
                let left = number == 0 ? 19 : 15
                #expect(
                    response["ratelimit"]?.hasPrefix("\"address-reads\";r=\(left);") == true,
                    "\(target)")
            }
        }
    }

    @Test(
        "is charged for a 304 what it cost, whatever the condition",
        arguments: [["CACHE_MEGABYTES": "0"], ["LOOPS": "1", "CACHE_MEGABYTES": "64"]])
    func notModified(settings: [String: String]) async throws {
        try await run(pages: 6, settings) { server in
            let tag = try #require(try Self.get(server, "/", from: "192.0.2.9")["etag"])
            for (number, condition) in [tag, "*", "\"x\", W/\(tag)"].enumerated() {
                let allowed = AllowedRequests(settings["CACHE_MEGABYTES"] == "0" ? 6 : 60)
                let count = try (0..<100).count { _ in
                    let response = try Self.get(
                        server, "/", from: "192.0.2.\(number)", [("If-None-Match", condition)])
                    #expect(response.status == 304 || response.status == 429)
                    return response.status == 304
                }
                #expect(allowed.contains(count), "\(condition): \(count)")
            }
        }
    }

    @Test("is one for all loops")
    func loops() async throws {
        try await run(pages: 10, ["LOOPS": "3"]) { server in
            // Each connection is some loop's, and they take turns.
            let allowed = AllowedRequests(10)
            let count = try Self.accepted(server, "/platforms")
            #expect(allowed.contains(count), "\(count)")
        }
    }

    @Test("is one for all addresses of a network, and wider for all networks of a site")
    func sites() async throws {
        try await run(pages: 3) { server in
            func count(_ addresses: [String]) throws -> Int {
                try addresses.reduce(0) { try $0 + Self.accepted(server, "/games", from: $1) }
            }
            let (network, site) = (AllowedRequests(3), AllowedRequests(12))
            let first = try count(["2001:db8:1:200::1", "2001:db8:1:200::2"])
            #expect(network.contains(first), "\(first)")
            let rest = try count((1..<10).map { "2001:db8:1:20\($0)::1" })
            #expect(site.contains(first + rest), "\(first) and \(rest)")
            let neighbour = AllowedRequests(3)
            #expect(neighbour.contains(try count(["2001:db8:1:300::1"])))
        }
    }
}

import Endpoints
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite("A page of another site", .blocking)
struct CORSTests {
    private static let origin = "https://app.example"

    private func preflight(
        _ server: TestServer, _ path: String, _ method: String, from origin: String = origin
    ) throws -> RawResponse {
        try server.send(
            "OPTIONS", path,
            fields: [
                ("Origin", origin), ("Access-Control-Request-Method", method),
                ("Access-Control-Request-Headers", "authorization, content-type"),
            ])
    }

    @Test(
        "may read what is for programs, errors too",
        arguments: [
            ("/api/v1/platforms", 200), ("/api/v1/nothing", 404), ("/api/v1/me", 401),
            ("/api/v1/games", 400), ("/oembed?url=https://fave.example/@rob", 200),
            ("/@rob/feed", 200), ("/platforms/ps4--1/feed", 200),
        ])
    func reads(path: String, status: Int) async throws {
        let world = try await World.shared
        for fields in [[], [("Origin", Self.origin)]] {
            let response = try world.get(path, fields)
            #expect(response.status == status)
            #expect(response["access-control-allow-origin"] == "*")
            #expect(response["access-control-allow-credentials"] == nil)
            #expect(response["vary"]?.contains("Origin") != true)
            let exposed = response["access-control-expose-headers"] ?? ""
            for name in ["ETag", "Link", "Location", "Retry-After", "RateLimit", "X-Request-ID"] {
                #expect(exposed.components(separatedBy: ", ").contains(name), "\(name)")
            }
        }
    }

    @Test("may read no page", arguments: ["/", "/@rob", "/sign-in", "/api/problems", "/ping"])
    func pages(path: String) async throws {
        let world = try await World.shared
        let response = try world.get(path, [("Origin", Self.origin)])
        #expect(response["access-control-allow-origin"] == nil)
        let asked = try preflight(world.server, path, "GET")
        #expect(asked.status == 204)
        #expect(asked["access-control-allow-origin"] == nil)
        #expect(asked["access-control-allow-methods"] == nil)
    }

    @Test(
        "is told what it may send, where all may write",
        arguments: ["PUT", "GET", "DELETE", "FOO"])
    func preflights(method: String) async throws {
        try await TestServer.run(.migrated, settings: ["CORS_ORIGINS": "*"]) { server in
            try expectAll(preflight(server, "/api/v1/me/list", method))
            let response = try server.send(
                "POST", "/api/v1/sessions", fields: [("Origin", Self.origin)], json: "{}")
            try expectProblem(response, 422)
            #expect(response["access-control-allow-origin"] == "*")
        }
    }

    private func expectAll(_ response: RawResponse) {
        #expect(response.status == 204)
        #expect(response.bytes.isEmpty)
        #expect(response["allow"] == "GET, HEAD, OPTIONS, PUT")
        #expect(response["access-control-allow-origin"] == "*")
        #expect(response["access-control-allow-methods"] == "GET, HEAD, PUT")
        let names = response["access-control-allow-headers"] ?? ""
        for name in [
            "Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key",
        ] {
            #expect(names.components(separatedBy: ", ").contains(name), "\(name)")
        }
        #expect(response["access-control-max-age"] == "7200")
        #expect(response["access-control-allow-credentials"] == nil)
    }

    @Test("that asks of what is not there is allowed, so that the page sees the 404")
    func notFound() async throws {
        let server = try await World.shared.server
        let response = try preflight(server, "/api/v1/nothing", "GET")
        #expect(response.status == 204)
        #expect(response["access-control-allow-origin"] == "*")
        let missing = try server.send("GET", "/api/v1/nothing")
        try expectProblem(missing, 404, "/api/v1/openapi.json")
        #expect(missing["access-control-allow-origin"] == "*")
    }

    private static let foreign = [
        CORSTests.origin, "null", "https://fave.example.evil.example",
        "http://fave.example:8080", "http://fave.example",
    ]

    @Test("may send a token, and sees every error", arguments: foreign)
    func writesWithToken(from origin: String) async throws {
        let server = try await World.shared.server
        let token = try await server.makeUser("cors-\(UInt32.random(in: 0 ... .max))")
        for (method, path) in [
            ("PUT", "/api/v1/me/list"), ("GET", "/api/v1/me"), ("DELETE", "/api/v1/me"),
            ("POST", "/api/v1/sessions/refresh"), ("PATCH", "/api/v1/nothing"),
            ("POST", "/api/v0/my-fave-games"),
        ] {
            let asked = try preflight(server, path, method, from: origin)
            #expect(asked["access-control-allow-origin"] == "*", "\(path)")
            #expect(asked["access-control-allow-methods"]?.contains(method) == true)
            #expect(asked["access-control-allow-headers"]?.contains("Authorization") == true)
            #expect(asked["access-control-allow-credentials"] == nil)
        }
        let put = { (token: String?, tag: String?, json: String) in
            try server.send(
                "PUT", "/api/v1/me/list", token: token,
                fields: [("Origin", origin)] + (tag.map { [("If-Match", $0)] } ?? []), json: json)
        }
        let empty = #"{"entries": []}"#
        for (response, status) in [
            (try put(token, "*", empty), 200), (try put(nil, "*", empty), 401),
            (try put("fave_pat_x", "*", empty), 401), (try put(token, "\"x\"", empty), 412),
            (try put(token, nil, empty), 428), (try put(token, "*", "{}"), 422),
            (try server.send("PUT", "/api/v1/nothing", fields: [("Origin", origin)]), 404),
            (try server.send("PUT", "/api/v1/me", fields: [("Origin", origin)]), 405),
            (try server.send("BREW", "/api/v1/me", fields: [("Origin", origin)]), 501),
        ] {
            #expect(response.status == status)
            #expect(response["access-control-allow-origin"] == "*", "\(status)")
            #expect(response["access-control-expose-headers"]?.contains("ETag") == true)
            #expect(response["vary"]?.contains("Origin") != true)
        }
    }

    @Test(
        "may not send a write without a token, not even in a way that browsers don't ask about",
        arguments: foreign)
    func writes(from origin: String) async throws {
        let server = try await World.shared.server
        for path in ["sessions", "reports", "users", "recovery", "password-resets"] {
            let path = "/api/v1/\(path)"
            let asked = try preflight(server, path, "POST", from: origin)
            #expect(asked["access-control-allow-origin"] == nil, "\(path)")
            for type in ["text/plain", "application/json"] {
                let response = try server.send(
                    "POST", path, fields: [("Origin", origin)], json: "{}", type: type)
                #expect(response.status == 403, "\(path)")
                #expect(response.text.contains("CORS_ORIGINS"))
                // It may see why.
                #expect(response["access-control-allow-origin"] == "*")
            }
        }
        let read = try server.send("GET", "/api/v1/platforms", fields: [("Origin", origin)])
        #expect(read.status == 200)
    }

    /// What people could be made to send from their addresses without knowing. Everything else that
    /// changes something contains a credential.
    @Test("may send everything but these, as the routes say")
    func closedRoutes() {
        let closed = Routes.all.filter { $0.kind.isForOtherOrigins && !$0.isForEveryOrigin }
        #expect(
            closed.map { "\($0.method) \($0.pattern)" }.sorted() == [
                "POST /api/v1/password-resets", "POST /api/v1/recovery", "POST /api/v1/reports",
                "POST /api/v1/sessions", "POST /api/v1/users",
            ])
    }

    @Test("may see that it sent too much, and that people can only read")
    func limited() async throws {
        let settings = ["API_WRITES_PER_MINUTE": "2"]
        try await TestServer.run(.migrated, settings: settings) { server in
            let fields = [("Origin", Self.origin)]
            let responses = try (0..<4).map { _ in
                try server.send("PUT", "/api/v1/me/list", fields: fields, json: "{}")
            }
            let last = try #require(responses.last)
            #expect(last.status == 429)
            #expect(last["access-control-allow-origin"] == "*")
            #expect(last["access-control-expose-headers"]?.contains("Retry-After") == true)
        }
    }

    @Test(
        "may sign people in if it is the site itself, as a program may",
        arguments: ["https://fave.example", "http://localhost:8080", "http://[::1]", nil])
    func ownWrites(from origin: String?) async throws {
        let response = try await World.shared.server.send(
            "POST", "/api/v1/sessions", fields: origin.map { [("Origin", $0)] } ?? [], json: "{}")
        try expectProblem(response, 422)
    }

    @Test("may see that its request could not be read", arguments: ["*", "none"])
    func unreadable(origins: String) async throws {
        try await TestServer.run(.migrated, settings: ["CORS_ORIGINS": origins]) { server in
            let response = try server.send(
                "POST", "/api/v1/sessions",
                fields: [("Origin", Self.origin), ("Content-Length", "1000000000")])
            try expectProblem(response, 413)
            #expect(response["access-control-allow-origin"] == "*")
            #expect(response["access-control-expose-headers"]?.contains("Retry-After") == true)
        }
    }

    @Test("may sign people in only if it is among those that are allowed")
    func listed() async throws {
        let settings = ["CORS_ORIGINS": "https://app.example, http://localhost:3000"]
        try await TestServer.run(.migrated, settings: settings) { server in
            for origin in ["https://app.example", "http://localhost:3000"] {
                let asked = try preflight(server, "/api/v1/sessions", "POST", from: origin)
                #expect(asked["access-control-allow-origin"] == "*")
                #expect(asked["access-control-allow-methods"] == "POST")
                #expect(asked["vary"] == "Origin")
                let response = try server.send(
                    "POST", "/api/v1/sessions", fields: [("Origin", origin)], json: "{}")
                try expectProblem(response, 422)
                #expect(response["access-control-allow-origin"] == "*")
            }
            for origin in [
                "https://other.example", "https://app.example.evil.example", "null",
                "http://app.example", "https://app.example:8443",
            ] {
                let asked = try preflight(server, "/api/v1/sessions", "POST", from: origin)
                #expect(asked.status == 204)
                #expect(asked["access-control-allow-origin"] == nil, "\(origin)")
                #expect(asked["access-control-allow-methods"] == nil)
                let users = try preflight(server, "/api/v1/users", "GET", from: origin)
                #expect(users["access-control-allow-methods"] == "GET, HEAD", "\(origin)")
                #expect(users["vary"] == "Origin")
                let response = try server.send(
                    "POST", "/api/v1/sessions", fields: [("Origin", origin)], json: "{}")
                #expect(response.status == 403)
                let read = try server.send(
                    "GET", "/api/v1/platforms", fields: [("Origin", origin)])
                #expect(read["access-control-allow-origin"] == "*")
            }
        }
    }

    @Test(
        "is one of these", arguments: ["https://a.example", "http://localhost:3000", "*", "none"])
    func origins(text: String) {
        #expect(AllowedOrigins(text) != nil)
    }

    @Test(
        "is none of these",
        arguments: [
            "", ",", "a.example", "https://", "https://a.example/", "HTTPS://a.example",
            "https://*.example", "*, https://a.example", "ftp://a.example", "null",
            "https://a.example/path", "https://user@a.example",
        ])
    func malformed(text: String) {
        #expect(AllowedOrigins(text) == nil)
    }

    @Test("is nobody's if the operator says so")
    func nobody() {
        #expect(AllowedOrigins("none")?.contains("https://a.example") == false)
        #expect(AllowedOrigins("none")?.contains("") == false)
    }
}

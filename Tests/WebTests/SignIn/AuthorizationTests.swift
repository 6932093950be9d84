import Foundation
import TestSupport
import Testing

@Suite("What needs a token", .blocking)
struct AuthorizationTests {
    private let world: World

    init() async throws { world = try await World.shared }

    private static let addresses = [
        ("GET", "/api/v1/me"), ("GET", "/api/v1/me/list"), ("PUT", "/api/v1/me/list"),
        ("POST", "/api/v1/me/list/entries"),
        ("PATCH", "/api/v1/me/list/entries/00000000-0000-4000-8000-000000000000"),
        ("DELETE", "/api/v1/me/list/entries/00000000-0000-4000-8000-000000000000"),
    ]

    @Test("says so to those who bring none", arguments: addresses)
    func noToken(method: String, path: String) throws {
        let response = try world.server.send(method, path, json: "not even JSON")
        try expectProblem(response, 401, "needs a bearer token")
        #expect(response["www-authenticate"] == "Bearer realm=\"fave-games\"")
    }

    @Test(
        "says so to those who bring something else",
        arguments: [
            "Basic cm9iOnNlY3JldA==", "Bearer", "Bearer ", "", "bearer", "Bearer a b", "Token abc",
            "Bearer,abc",
        ])
    func otherSchemes(value: String) throws {
        let response = try world.get("/api/v1/me", [("Authorization", value)])
        try expectProblem(response, 401, "needs a bearer token")
        #expect(response["www-authenticate"] == "Bearer realm=\"fave-games\"")
    }

    @Test(
        "refuses a token that is not valid, without saying why",
        arguments: [
            "garbage", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", String(repeating: "x", count: 9000),
        ]
    )
    func invalid(token: String) throws {
        for (method, path) in Self.addresses {
            let response = try world.server.send(method, path, token: token, json: "{}")
            let problem = try expectProblem(response, 401)
            #expect(
                problem.string("detail") == "The bearer token is not valid, or has expired.")
            #expect(
                response["www-authenticate"]
                    == "Bearer realm=\"fave-games\", error=\"invalid_token\"")
        }
    }

    @Test("takes the scheme in whatever case")
    func schemeCase() throws {
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let response = try world.get(
                "/api/v1/me", [("Authorization", "\(scheme) \(world.rob)")])
            #expect(response.status == 200)
            #expect(try response.object.string("username") == "rob")
        }
    }

    @Test("refuses a request that says twice who it is from")
    func twice() throws {
        let fields = [("Authorization", "Bearer \(world.rob)"), ("Authorization", "Bearer x")]
        #expect(try world.get("/api/v1/me", fields).status == 401)
    }

    @Test("reads what is public with a token of someone new, or of an issuer without keys")
    func strangers() async throws {
        func read(_ server: TestServer, _ token: String) throws -> Int {
            try server.send("GET", "/api/v1/platforms", token: token).status
        }
        let nobody = try UnusedPort()
        try await TestIssuer.run { settings in
            try await TestServer.run(.migrated, settings: settings) { server async throws in
                #expect(try read(server, TestIssuer.untilYear2096) == 200)
                #expect(try read(server, TestIssuer.untilYear2001) == 401)
                #expect(try server.count("users") == 0)
            }
            let keys = ["JWKS_URL": "https://127.0.0.1:\(nobody.number)/keys"]
            try await TestServer.run(.migrated, settings: settings.merging(keys) { $1 }) { server in
                #expect(try read(server, TestIssuer.untilYear2096) == 200)
                try expectProblem(
                    try server.send("GET", "/api/v1/me", token: TestIssuer.untilYear2096), 401)
                #expect(try read(server, "x.y.z") == 401)
            }
        }
    }

    @Test("refuses a token whose time is over")
    func expired() async throws {
        try await TestIssuer.run { settings in
            try await TestServer.run(.migrated, settings: settings) { server in
                let valid = try server.send(
                    "GET", "/api/v1/me", token: TestIssuer.untilYear2096)
                #expect(try valid.object.string("username") == "player")
                let expired = try server.send(
                    "GET", "/api/v1/me", token: TestIssuer.untilYear2001)
                try expectProblem(expired, 401, "has expired")
                #expect(expired["www-authenticate"]?.contains("invalid_token") == true)
            }
        }
    }
}

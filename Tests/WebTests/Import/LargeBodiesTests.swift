import TestSupport
import Testing

@testable import Web

@Suite("A large body", .blocking)
struct LargeBodiesTests {
    /// The head of a request whose body, a megabyte, has yet to be sent.
    private static func head(
        _ method: String = "POST", _ path: String = "/api/v1/me/import", _ fields: [String] = []
    ) -> String {
        let start = "\(method) \(path) HTTP/1.1\r\nHost: fave.example\r\n"
        let length = "Content-Length: \(games.utf8.count)\r\n"
        return start + length + fields.map { "\($0)\r\n" }.joined() + "\r\n"
    }

    /// Twenty games, with long reviews, in as many bytes as the head announces.
    private static let games: String = {
        let row = "Portal," + String(repeating: "x", count: 49_992) + "\n"
        return "name,review\n" + String(repeating: row, count: 20)
    }()

    private static let csv = "Content-Type: text/csv"
    private static let expect = "Expect: 100-continue"

    @Test("may be sent by users only, to any address that reads one")
    func callers() {
        let routes = Routes.all.filter { Routes.bodyLimits[$0.pattern] != nil && $0.method != .get }
        #expect(routes.contains { !$0.inputs.compactMap(\.body?.limit).isEmpty })
        for route in routes { #expect(route.signIn == .required, "\(route.pattern)") }
    }

    @Test("is refused before it is sent if its sender may not send it", arguments: [false, true])
    func refused(expects: Bool) async throws {
        try await TestServer.run(.migrated) { server in
            let token = "Authorization: Bearer \(try await server.makeUser("rob"))"
            let browser = try server.browser("ada")
            let cookie = "Cookie: \(Browser.sessionCookie)=\(try #require(browser.session))"
            let more = expects ? [Self.expect] : []
            func send(_ method: String, _ path: String, _ fields: String...) throws -> RawResponse {
                let connection = try RawConnection(port: server.port)
                try connection.send(Self.head(method, path, fields + more))
                let response = try connection.readResponse()
                #expect(response["connection"] == "close")
                #expect(response["x-request-id"] != nil)
                #expect(try connection.isClosedByServer())
                return response
            }
            let path = "/api/v1/me/import"
            let stranger = try send("POST", path, Self.csv)
            try expectProblem(stranger, 401)
            #expect(stranger["www-authenticate"] != nil)
            #expect(stranger["access-control-allow-origin"] == "*")
            try expectProblem(send("POST", path, Self.csv, "Authorization: Bearer x"), 401)
            try expectProblem(send("POST", path, token), 415)
            try expectProblem(send("PUT", path, Self.csv, token), 405)
            let page = try send("POST", "/me/import")
            #expect(page.status == 303)
            #expect(page["location"]?.hasPrefix("/sign-in?return=") == true)
            let foreign = try send("POST", "/me/import", cookie, "Origin: https://evil.example")
            expectPage(foreign, 403, "from another site")
        }
    }

    @Test("is asked for once its sender is known, and read")
    func admitted() async throws {
        try await TestServer.run { server in
            let token = "Authorization: Bearer \(try await server.makeUser("rob"))"
            let connection = try RawConnection(port: server.port)
            try connection.send(
                Self.head("POST", "/api/v1/me/import", [Self.csv, token, Self.expect]))
            #expect(try connection.readResponse().status == 100)
            try connection.send(Self.games)
            let response = try connection.readResponse()
            #expect(response.status == 202, "\(response.text)")
            #expect(try response.object.int("rowCount") == 20)
        }
    }

    @Test("without a token costs its sender one unit, until there are too many")
    func limit() async throws {
        try await TestServer.run(.migrated, settings: ["API_WRITES_PER_MINUTE": "5"]) { server in
            var statuses: Set<Int> = []
            try await eventually("the end of the allowance") {
                let connection = try RawConnection(port: server.port)
                try connection.send(Self.head())
                let response = try connection.readResponse()
                #expect(response["ratelimit"] != nil)
                statuses.insert(response.status)
                return response.status == 429
            }
            #expect(statuses == [401, 429])
        }
    }

    @Test("from a stranger, and any that is begun, shuts out no one else behind the same proxy")
    func proxied() async throws {
        let settings = ["TRUSTED_PROXIES": "127.0.0.1", "MAX_CONNECTIONS": "64"]
        try await TestServer.run(settings: settings) { server in
            let token = "Authorization: Bearer \(try await server.makeUser("rob"))"
            let attacker = "X-Forwarded-For: 203.0.113.1"
            let other = "X-Forwarded-For: 198.51.100.1"
            // Without any token, and without the bodies.
            let uploads = try (0..<32).map { _ in
                let connection = try RawConnection(port: server.port)
                try connection.send(Self.head("POST", "/api/v1/me/import", [attacker]) + "x")
                #expect(try connection.readResponse().status == 401)
                return connection
            }
            // A byte each.
            let reports = try (0..<100).map { _ in
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "POST /report HTTP/1.1\r\nHost: fave.example\r\n\(attacker)\r\n"
                        + "Content-Length: 1000\r\n\r\nx")
                return connection
            }
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: fave.example\r\n\(other)\r\n\r\n")
            #expect(try connection.readResponse().status == 200)
            try connection.send(
                Self.head("POST", "/api/v1/me/import", [Self.csv, other, token, Self.expect]))
            #expect(try connection.readResponse().status == 100)
            try connection.send(Self.games)
            #expect(try connection.readResponse().status == 202)
            withExtendedLifetime((uploads, reports)) {}
        }
    }
}

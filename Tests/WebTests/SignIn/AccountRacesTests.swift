import Foundation
import TestSupport
import Testing

@Suite("Requests that come at once", .blocking)
struct AccountRacesTests {
    /// Sends all before any response is read, each on a connection of its own.
    private func send(_ server: TestServer, _ path: String, _ bodies: [String]) throws -> [Int] {
        let connections = try bodies.map { _ in try RawConnection(port: server.port) }
        for (connection, body) in zip(connections, bodies) {
            try connection.send(
                "POST /api/v1\(path) HTTP/1.1\r\nHost: fave.example\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body)
        }
        return try connections.map { try $0.readResponse().status }.sorted()
    }

    @Test("for one username get it once")
    func signUps() async throws {
        try await TestServer.run(.migrated) { server in
            let names = ["rob", "Rob", "r0b", "rob", "ROB", "r0b", "rob", "rob"]
            let statuses = try send(
                server, "/users",
                names.map { #"{"username": "\#($0)", "password": "\#(Browser.password)"}"# })
            #expect(statuses == [201] + Array(repeating: 409, count: 7))
            #expect(try server.count("users") == 1)
            #expect(try server.count("passwords") == 1)
        }
    }

    @Test("with one refresh token all get the same next one, which works")
    func refreshes() async throws {
        try await TestServer.run(.migrated) { server in
            try server.browser("rob")
            let tokens = try server.send(
                "POST", "/api/v1/sessions",
                json: #"{"username": "rob", "password": "\#(Browser.password)"}"#
            ).object
            let body = #"{"refreshToken": "\#(tokens.string("refreshToken") ?? "")"}"#
            let statuses = try send(
                server, "/sessions/refresh", Array(repeating: body, count: 8))
            #expect(statuses == Array(repeating: 200, count: 8))
            #expect(
                try server.send("GET", "/api/v1/me", token: tokens.string("accessToken")).status
                    == 200)
            #expect(try server.count("sessions") == 2)
        }
    }

    @Test("guess no more passwords than the bound allows")
    func guesses() async throws {
        let settings = ["SIGN_IN_ATTEMPTS_PER_NAME": "3"]
        try await TestServer.run(.migrated, settings: settings) { server in
            try server.browser("rob")
            let bodies = (0..<20).map { #"{"username": "rob", "password": "guess \#($0)"}"# }
            let statuses = try send(server, "/sessions", bodies)
            #expect(
                statuses == Array(repeating: 401, count: 3) + Array(repeating: 429, count: 17))
        }
    }
}

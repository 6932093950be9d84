import Foundation
import TestSupport
import Testing

@testable import Web

@Suite("How recent answers are", .blocking)
struct ConsistencyTests {
    private static let list = "/api/v1/users/rob/list"
    private static let recent = "fave-games; hit; detail=recent"

    /// A server whose answers may be an hour old, with Rob's list kept as it was before he says "New".
    private func run(
        _ level: Consistency.Level, _ body: (TestServer, Person) async throws -> Void
    ) async throws {
        let settings = [
            "LOOPS": "1", "READ_CONSISTENCY": level.rawValue, "READ_LAG_MILLISECONDS": "3600000",
        ]
        try await TestServer.run(settings: settings) { server in
            let rob = Person(server: server, token: try await server.makeUser("rob"))
            try Self.say("Old", rob)
            for path in [Self.list, "/@rob"] {
                #expect(try server.send("GET", path).text.contains("Old"))
            }
            try await body(server, rob)
        }
    }

    @discardableResult
    private static func say(_ comment: String, _ rob: Person) throws -> RawResponse {
        let response = try rob.put(
            """
            {"entries": [{"gameId": 71, "platformId": 6, "comment": "\(comment)"}]}
            """)
        #expect(response.status == 200)
        return response
    }

    /// What someone reads who has a token, or none.
    private static func read(
        _ server: TestServer, _ token: String? = nil
    ) throws -> (text: String, status: String?) {
        let response = try server.send(
            "GET", list, fields: token.map { [("Consistency-Token", $0)] } ?? [])
        #expect(response.status == 200)
        return (response.text, response["cache-status"])
    }

    @Test("is as recent as the request, unless the operator says otherwise")
    func exact() async throws {
        try await run(.exact) { server, rob in
            let saved = try Self.say("New", rob)
            #expect(saved["consistency-token"] == nil)
            let (text, status) = try Self.read(server)
            #expect(text.contains("New") && status != Self.recent)
        }
    }

    @Test("is bounded if the operator wants that, for those who write, too")
    func bounded() async throws {
        try await run(.bounded) { server, rob in
            let saved = try Self.say("New", rob)
            #expect(saved["consistency-token"] == nil)
            for token in [nil, "made-up"] {
                let (text, status) = try Self.read(server, token)
                #expect(text.contains("Old") && status == Self.recent)
            }
            #expect(try server.send("GET", "/@rob").text.contains("Old"))
            // What is for one person is always exact.
            #expect(try rob.send("GET", "/me/list").text.contains("New"))
        }
    }

    @Test("lets those who write see it, on every server")
    func ownWrites() async throws {
        try await run(.ownWrites) { server, rob in
            let other = try await TestServer.beside(
                server,
                settings: [
                    "LOOPS": "1", "READ_CONSISTENCY": "own-writes",
                    "READ_LAG_MILLISECONDS": "3600000",
                ])
            #expect(try Self.read(other).text.contains("Old"))
            let saved = try Self.say("New", rob)
            let token = try #require(saved["consistency-token"])
            // This server has asked where the log ends since, and so knows of the change.
            let known = try Self.read(server, token)
            #expect(known.text.contains("New") && known.status != Self.recent)
            #expect(try Self.read(server, token).status == Self.recent)
            #expect(try Self.read(other).text.contains("Old"), "who has not written")
            #expect(try Self.read(other, token).text.contains("New"))
            #expect(try Self.read(other, token).status == Self.recent)
            await other.stop()
        }
    }

    /// The token of a write that changes nothing of the list.
    private static func token(of server: TestServer, _ rob: Person) throws -> String? {
        try rob.send("PATCH", "/me", #"{"bio": "A player."}"#)["consistency-token"]
    }

    @Test("is exact for a token that the server has not made")
    func forged() async throws {
        try await run(.ownWrites) { server, rob in
            let token = try #require(try Self.token(of: server, rob))
            for forged in [
                "x", String(token.dropLast()), token + "A", String(repeating: "A", count: 5000),
            ] {
                let comment = "New \(forged.count)"
                try server.execute("UPDATE entries SET comment = '\(comment)'")
                #expect(try Self.read(server, forged).text.contains(comment))
            }
        }
    }

    @Test("is told to browsers by a cookie that lasts as long as the lag")
    func cookie() async throws {
        try await run(.ownWrites) { server, _ in
            #expect(try server.send("GET", "/privacy").text.contains("one makes sure"))
            let browser = try server.browser("anna")
            try browser.get("/sign-out")
            let answer = try browser.post("/sign-out")
            #expect(answer.status == 303)
            let cookies = answer.fields.filter { $0.name == "Set-Cookie" }.map(\.value)
                .filter { $0.contains("written=") }
            #expect(cookies.count == 1)
            #expect(
                cookies[0].hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=3602"))
            let pair = try #require(cookies[0].split(separator: ";").first)
            // Signed out, with what the browser still has.
            func page(_ cookie: String) throws -> String {
                try server.send("GET", "/@rob", fields: [("Cookie", cookie)]).text
            }
            #expect(try page(String(pair)).contains("Old"), "the position is from before")
            try server.execute("UPDATE entries SET comment = 'New'")
            #expect(try page("other=1").contains("Old"))
            #expect(try page(String(pair)).contains("Old"), "someone else's change")
            #expect(try page("__Host-written=forged").contains("New"))
        }
    }
}

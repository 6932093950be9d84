import Foundation
import JSON
import TestSupport
import Testing

@Suite("Schemathesis", .blocking, .thorough)
struct SchemathesisTests {
    @Test("finds no response that the document does not describe, and no fault of the server")
    func liveServer() async throws {
        try await TestServer.run { server in
            let people = try await People(server)
            let report = try Schemathesis.run(
                OpenAPIDocument.text, at: "http://127.0.0.1:\(server.port)",
                variables: people.tokens)
            let (isClean, text) = (report.isClean, report.text)
            #expect(isClean, "\(text)")
            // It got as far as we want: most of it would be clean without a good token, too.
            let count = try OpenAPIDocument.load().operations.count
            let isWhole = text.contains("Tested: \(count)\n")
            #expect(isWhole, "\(text)")
            let me = try server.send("GET", "/api/v1/me", token: people.tokens["API_TOKEN"])
            #expect(me.status == 200)
            #expect(try me.object.string("displayName") != "rob")
            #expect(try server.count("users WHERE username = 'newcomer' AND bio = '-'") == 0)
        }
    }

    /// Those that the examples of the document are about, and their tokens.
    private struct People {
        let tokens: [String: String]

        init(_ server: TestServer) async throws {
            let document = try OpenAPIDocument.load()
            func example(_ parameter: String) throws -> String {
                let parameters = document.root["components"]?["parameters"]
                return try #require(parameters?[parameter]?["example"]?.text)
            }
            var tokens = ["API_TOKEN": try await server.makeUser("rob")]
            for (variable, name) in [
                ("DELETED_TOKEN", "newcomer"), ("CHANGED_TOKEN", "changed"),
                ("ENDED_TOKEN", "ended"), ("SIGNED_OUT_TOKEN", "signed-out"),
            ] {
                let account = #"{"username": "\#(name)", "password": "tulip staple 42"}"#
                _ = try server.send("POST", "/api/v1/users", json: account)
                let session = try server.send("POST", "/api/v1/sessions", json: account).object
                guard let token = session.string("accessToken") else {
                    throw TestFailure("\(name) cannot sign in: \(session)")
                }
                tokens[variable] = token
            }
            self.tokens = tokens
            let session = try server.database.session()
            _ = try session.query("UPDATE users SET bio = '-' WHERE username = 'newcomer'", [])
            // The entry that the document's examples change and remove.
            _ = try session.query(
                """
                INSERT INTO entries (id, user_id, position, game_id, platform_id, comment)
                SELECT $1::uuid, id, 1, 71, 6, 'Still.' FROM users WHERE username = 'rob'
                """, [.text(try example("entry"))])
        }
    }
}

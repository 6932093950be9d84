import Foundation
import TestSupport
import Testing

@Suite("Authlib, a client of OAuth that knows only the metadata", .blocking, .thorough)
struct OAuthLibraryTests {
    @Test("lets someone in, refreshes its tokens, and revokes them")
    func walk() async throws {
        let port = try TestServer.freePort()
        let site = "http://localhost:\(port)"
        try await TestServer.run(settings: ["PUBLIC_URL": site, "PORT": "\(port)"]) { server in
            let redirect = "http://127.0.0.1/callback"
            let app: String = try server.database.session().query(
                """
                INSERT INTO apps (name, address, redirects)
                VALUES ('Shelf', 'https://shelf.example', ARRAY[$1]) RETURNING id::text
                """, [.text(redirect)])[0][0]
            let made = try server.send(
                "POST", "/api/v1/users",
                json: #"{"username": "rob", "password": "\#(Browser.password)"}"#)
            #expect(made.status == 201)
            // Authlib insists on TLS elsewhere.
            let report = try PythonTools.run(variables: ["AUTHLIB_INSECURE_TRANSPORT": "1"]) { _ in
                [
                    TestDatabase.repository + "/Tests/Python/oauth_client.py", site, app,
                    redirect.replacing("127.0.0.1", with: "127.0.0.1:5123"), "rob",
                    Browser.password,
                ]
            }
            #expect(report.isClean, "\(report.text)")
            #expect(
                report.text == """
                    metadata of \(site)
                    signs in first
                    asks: Let Shelf in?
                    token: Bearer 900 read list:write
                    me: rob
                    old: True
                    me again: 200
                    revoked: 200 401
                    refused: invalid_grant
                    """, "\(report.text)")
        }
    }
}

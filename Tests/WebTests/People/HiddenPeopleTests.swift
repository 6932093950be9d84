import Encodings
import Foundation
import TestSupport
import Testing

@testable import Web

/// What was published about people while their lists were public, and that they have hidden since.
@Suite("Someone who was public", .blocking)
struct HiddenPeopleTests {
    /// Rob, with the ids that were published when his list was public, and ada, who followed him.
    private static func run(
        _ body: (TestServer, _ entry: String, _ digest: String) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let rob = try await server.makeUser("rob")
            let put = try server.send(
                "PUT", "/api/v1/me/list", token: rob, fields: [("If-Match", "*")],
                json: """
                    {"entries": [{"gameId": 71, "platformId": 6, "comment": "The cake is a lie."}]}
                    """)
            let entry = try #require(try put.object.objects("entries").first?.string("id"))
            let found = try server.send("GET", "/api/v0/users?search=rob").array
            try await body(server, entry, #require(found.first?.string("userId")))
        }
    }

    @Test(
        "is not found under another name by the ids that were published before",
        arguments: [
            "visibility = 'unlisted'", "visibility = 'private'",
            "new_until = now() + interval '1 day'",
        ])
    func renamed(change: String) async throws {
        try await Self.run { server, entry, digest in
            let id: String = try server.database.session().query(
                "SELECT id::text FROM users WHERE username = 'rob'")[0][0]
            let targets = [
                "/api/v0/users/\(digest)", "/api/v0/my-fave-games/\(digest)",
                "/report?entry=\(entry)", "/api/v1/entries/\(entry)/heart",
                "/api/v1/entries/\(entry)", "/api/v1/users/\(id)/list", "/@\(id)",
            ]
            for target in targets {
                let status = target.contains(id) ? 307 : 200
                #expect(try server.send("GET", target).status == status, "\(target)")
            }
            try server.execute(
                """
                UPDATE users SET username = 'zebra-2', display_name = 'Zebra';
                DELETE FROM former_usernames;
                UPDATE users SET \(change)
                """)
            let ada = try await server.makeUser("ada")
            for token in [nil, ada] {
                for target in targets {
                    let response = try server.send("GET", target, token: token)
                    #expect(response.status == 404, "\(target)")
                    #expect(!response.text.lowercased().contains("zebra"), "\(target)")
                }
                let report = try server.send(
                    "POST", "/api/v1/reports", token: token,
                    json: #"{"kind": "entry", "entry": "\#(entry)", "reason": "spam"}"#)
                #expect(report.status == 422)
            }
            #expect(try server.count("cases") == 0)
            // The owner still finds the list.
            let rob = try await server.token(of: "zebra-2")
            for target in targets.prefix(2) {
                #expect(try server.send("GET", target, token: rob).status == 200, "\(target)")
            }
        }
    }

    @Test("can be reported as a list by those who have the link")
    func unlisted() async throws {
        try await Self.run { server, entry, _ in
            #expect(try server.send("GET", "/@rob").text.contains("/report?entry=\(entry)"))
            try server.execute("UPDATE users SET visibility = 'unlisted'")
            let page = try server.send("GET", "/@rob").text
            #expect(!page.contains("/report?entry="))
            #expect(page.contains("/report?username=rob"))
            #expect(try server.send("GET", "/report?username=rob").status == 200)
        }
    }

    @Test("is not named by a cursor of a page that leaves them out")
    func cursors() async throws {
        try await Self.run { server, _, _ in
            let ada = try await server.makeUser("ada")
            try server.execute(
                """
                INSERT INTO users (username, display_name, visibility)
                SELECT 'shy-' || n, 'Shy', 'unlisted' FROM generate_series(1, 3) n;
                INSERT INTO follows (follower_id, followed_id)
                SELECT s.id, a.id FROM users s, users a
                WHERE s.username LIKE 'shy-%' AND a.username = 'ada'
                """)
            let page = try server.send("GET", "/api/v1/me/followers?limit=1", token: ada).object
            #expect(page.objects("people").isEmpty)
            let cursor = try #require(page.string("nextCursor"))
            let bytes = try #require(Base64URL.decode(cursor.utf8))
            let ids: String = try server.database.session().query(
                "SELECT string_agg(id::text, ' ') FROM users")[0][0]
            let text = String(decoding: bytes, as: UTF8.self).lowercased()
            for id in ids.split(separator: " ") { #expect(!text.contains(id)) }
            let next = try server.send(
                "GET", "/api/v1/me/followers?limit=1&cursor=\(cursor)", token: ada)
            #expect(next.status == 200)
        }
    }
}

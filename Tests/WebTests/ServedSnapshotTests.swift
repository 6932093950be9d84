import Foundation
import TestSupport
import Testing

/// The pages that depend on who looks, or on the whole database, as the server gives them. What is
/// different in every run has a name instead.
@Suite("Snapshot of a page as it is served", .blocking, .timeLimit(.minutes(2)))
struct ServedSnapshotTests {
    private static func stable(_ html: String) -> String {
        var html =
            html
            .replacing(/(name="token" value=")[^"]*/) { "\($0.1)TOKEN" }
            .replacing(/(\/assets\/[a-z0-9.-]*\?v=)[0-9a-f]*/) { "\($0.1)VERSION" }
            .replacing(/<time datetime="[^"]*">[^<]*<\/time>/, with: "<time>TIME</time>")
            .replacing(/(name="seen" value=")[^"]*/) { "\($0.1)TIME" }
            .replacing(/(until|on|joined|used|in) \d+ [A-Z]\w+ \d{4}/) { "\($0.1) DAY" }
            .replacing(/card-[0-9a-f]*\.png/, with: "card-HASH.png")
            .replacing(/My five, \d{4}/, with: "My five, YEAR")
        var names: [Substring: String] = [:]
        let id = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/
        for match in html.matches(of: id) where names[match.0] == nil {
            names[match.0] = "ID\(names.count + 1)"
        }
        for (id, name) in names { html = html.replacing(id, with: name) }
        return html
    }

    private func withRob(_ body: (Browser) throws -> Void) async throws {
        try await TestServer.run { server in
            let rob = Browser(server)
            try rob.signUp("rob")
            let ada = Person(server: server, token: try await server.makeUser("ada"))
            _ = try ada.put(
                """
                {"entries": [{"gameId": 71, "platformId": 6, "comment": "Cake & <lies>\\nfor all.",
                              "rating": 5, "tags": ["puzzle", "short & sweet"]},
                             {"gameId": 117, "platformId": 48}]}
                """)
            try rob.get("/me")
            let token = try #require(rob.token)
            try rob.post(
                "/me",
                inOrder: [
                    ("token", token), ("base", ""), ("entry", "new-1"), ("game", "71"),
                    ("platform", "9"), ("comment", "Still <alive>."), ("do", "save"),
                ])
            // Those of one list were made at the same time, and would come in any order.
            try server.execute(
                """
                UPDATE entries e SET created_at = '2026-01-01'::timestamptz + n * interval '1 hour'
                FROM (SELECT e.id, row_number() OVER (ORDER BY u.username, e.position) AS n
                      FROM entries e JOIN users u ON u.id = e.user_id) o
                WHERE o.id = e.id
                """)
            try server.execute(
                """
                WITH c AS (
                    INSERT INTO circles (id, name, description, visibility)
                    VALUES ('\(Self.circle)', 'Club & <Co>', 'We "play".', 'public') RETURNING id
                )
                INSERT INTO circle_members (circle_id, user_id, seat, place, owned, joined_at)
                SELECT c.id, u.id, 1, 1, 1, '2026-01-01' FROM c, users u WHERE u.username = 'rob';
                SELECT add_circle_member('\(Self.circle)', id, false) FROM users
                WHERE username = 'ada';
                UPDATE circle_members SET joined_at = '2026-01-02' WHERE owned IS NULL;
                INSERT INTO circle_invitations (circle_id, token_hash, uses, uses_left, expires_at)
                VALUES ('\(Self.circle)', sha256(decode(repeat('00', 32), 'hex')), 20, 19,
                        now() + interval '7 days')
                """)
            try body(rob)
        }
    }

    private static let circle = "00000000-0000-4000-8000-00000000000c"

    @Test("to its owner, to strangers, and to nobody in particular")
    func pages() async throws {
        try await withRob { rob in
            for (name, target) in [
                ("editor", "/me"), ("editor-found", "/me?search=celeste"),
                ("editor-added", "/me?add=72"), ("list-own", "/@rob"), ("settings", "/settings"),
                ("sign-out", "/sign-out"), ("years", "/settings/years"),
                ("game-member", "/games/71"), ("following-none", "/following"),
                ("followers-none", "/followers"), ("circles", "/circles"),
                ("new-circle", "/circles/new"), ("circle-own", "/circles/\(Self.circle)"),
                ("circle-settings", "/circles/\(Self.circle)/settings"),
            ] {
                let page = try rob.get(target)
                #expect(page.status == 200, "\(target)")
                try Snapshot.expect(Self.stable(page.text), is: name)
            }
            try rob.post("/@ada/follow", ["do": "follow"])
            for (name, target) in [
                ("following", "/following"), ("following-people", "/following/people"),
                ("list-followed", "/@ada"),
            ] {
                try Snapshot.expect(Self.stable(try rob.get(target).text), is: name)
            }
            rob.cookies = [:]
            for (name, target) in [
                ("entries", "/entries"),
                ("entries-filtered", "/entries?platform=win&tag=puzzle&rating=5&search=cake"),
                ("entries-none", "/entries?search=zzzz"), ("similar", "/@ada/similar"),
                ("embed", "/@ada/embed"), ("sign-in", "/sign-in?return=/games"),
                ("sign-up", "/sign-up"), ("circle", "/circles/\(Self.circle)"),
                ("circle-ranking", "/circles/\(Self.circle)/platforms/win"),
                (
                    "circle-invitation",
                    "/circles/join?invitation=\(String(repeating: "A", count: 43))"
                ),
            ] {
                let page = try rob.get(target)
                #expect(page.status == 200, "\(target)")
                try Snapshot.expect(Self.stable(page.text), is: name)
            }
        }
    }

    @Test("with what is wrong beside each field")
    func refused() async throws {
        try await withRob { rob in
            try rob.get("/me")
            let token = try #require(rob.token)
            let refused = try rob.post(
                "/me",
                inOrder: [
                    ("token", token), ("base", ""), ("entry", "new-1"), ("game", "72"),
                    ("platform", ""), ("comment", "<b>"), ("tags", "a#b"), ("rating", "9"),
                    ("do", "save"),
                ])
            #expect(refused.status == 422)
            try Snapshot.expect(Self.stable(refused.text), is: "editor-refused")
            let changed = try rob.post(
                "/me", inOrder: [("token", token), ("base", ""), ("do", "save")])
            #expect(changed.status == 409)
            try Snapshot.expect(Self.stable(changed.text), is: "editor-conflict")
        }
    }
}

import Foundation
import Identity
import TestSupport
import Testing

@testable import Web

@Suite("A form that someone else made", .blocking)
struct ForeignFormsTests {
    /// Every address that takes a form, with one that would change something.
    static let forms: [(path: String, items: [String: String])] = [
        ("/sign-in", ["username": "rob", "password": Browser.password]),
        ("/sign-up", ["username": "mallory", "password": Browser.password]),
        (
            "/sign-up/name",
            ["username": "mallory", "displayName": "Evil", "visibility": "public"]
        ),
        ("/sign-out", [:]),
        (
            "/settings/profile",
            [
                "displayName": "Evil", "bio": "Evil", "visibility": "private",
                "showsRatings": "no",
            ]
        ),
        ("/settings/username", ["username": "evil"]),
        ("/settings/former-usernames/{username}", [:]),
        (
            "/settings/password",
            ["currentPassword": Browser.password, "newPassword": "daisy hammer 77"]
        ),
        ("/settings/sign-out-everywhere", [:]),
        ("/settings/sessions/{session}/end", [:]),
        (
            "/settings/tokens",
            [
                "name": "Evil", "scopes": "account", "expiresInDays": "30",
                "password": Browser.password,
            ]
        ),
        ("/settings/tokens/{id}/revoke", [:]),
        (
            "/settings/apps",
            [
                "name": "Evil", "address": "https://evil.example",
                "redirects": "https://evil.example/x",
            ]
        ),
        ("/settings/apps/{app}/remove", [:]),
        ("/oauth/authorize", ["decision": "allow"]),
        ("/settings/snapshots", ["title": "Evil"]),
        ("/settings/snapshots/yearly", ["takesYearlySnapshots": "yes"]),
        ("/settings/snapshots/{snapshot}/delete", [:]),
        ("/settings/recovery-codes", ["password": Browser.password]),
        (
            "/sign-in/recover",
            ["username": "rob", "code": "0000-0000-0000-0000", "newPassword": "daisy hammer 77"]
        ),
        ("/sign-in/reset", ["reset": "x", "newPassword": "daisy hammer 77"]),
        ("/settings/invitations", ["uses": "5", "days": "7"]),
        ("/settings/invitations/{invitation}/revoke", [:]),
        ("/settings/passkeys", ["name": "Evil"]),
        ("/settings/passkeys/options", ["password": Browser.password]),
        ("/settings/passkeys/{passkey}/remove", [:]),
        ("/sign-in/passkey", [:]),
        ("/sign-in/passkey/options", [:]),
        ("/settings/mail", ["address": "evil@mail.example", "password": Browser.password]),
        ("/settings/mail/remove", ["password": Browser.password]),
        ("/mail/confirm", ["link": String(repeating: "A", count: 43)]),
        ("/sign-in/forgot", ["account": "rob"]),
        ("/report", ["kind": "list", "username": "nell", "reason": "spam"]),
        ("/moderation/cases/{case}", ["decision": "hide_list", "reason": "Evil", "days": "7"]),
        ("/moderation/actions/{action}/undo", [:]),
        ("/moderation/new/{username}", [:]),
        ("/moderation/mail", ["reportMail": "yes"]),
        ("/administrator", ["link": "x"]),
        (
            "/circles/new", ["name": "Evil", "description": "Evil", "visibility": "public"]
        ),
        ("/circles/join", ["invitation": String(repeating: "A", count: 43)]),
        ("/circles/{circle}/leave", [:]),
        ("/circles/{circle}/hide", ["reason": "Evil"]),
        (
            "/circles/{circle}/settings",
            ["name": "Evil", "description": "Evil", "visibility": "public"]
        ),
        ("/circles/{circle}/invitations", ["uses": "5", "days": "7"]),
        ("/circles/{circle}/invitations/{invitation}/revoke", [:]),
        ("/circles/{circle}/members/{member}/remove", [:]),
        ("/circles/{circle}/members/{member}/owner", [:]),
        ("/circles/{circle}/webhook", ["address": "https://evil.example/x"]),
        ("/circles/{circle}/webhook/test", [:]),
        ("/circles/{circle}/webhook/remove", [:]),
        ("/circles/{circle}/delete", [:]),
        ("/settings/connect/{provider}", ["password": Browser.password]),
        ("/settings/disconnect/{identity}", [:]),
        ("/me", ["base": "", "entry": "new-1", "game": "71", "platform": "48", "do": "save"]),
        ("/@{username}/follow", ["do": "follow"]),
        ("/@{username}/block", [:]),
        ("/@{username}/unblock", [:]),
        ("/followers/{username}/remove", [:]),
        ("/following/feed", [:]),
        ("/following/feed/remove", [:]),
        ("/entries/{entry}/heart", ["do": "give"]),
        ("/me/import", ["csv": "name\nPortal\n"]),
        ("/me/import/delete", [:]),
        ("/settings/delete", ["username": "rob", "password": Browser.password]),
    ]

    /// Forms that do nothing without a provider, a code or a link, with what they respond then.
    private static let incomplete = [
        "/settings/connect/{provider}": [503, 303], "/sign-up/name": [303],
        "/sign-in/recover": [401], "/sign-in/reset": [403], "/administrator": [403],
        // What is queued is taken from there at some time.
        "/sign-in/forgot": [200],
        // These only begin something, or end what was not begun.
        "/settings/passkeys": [422], "/settings/passkeys/options": [200],
        "/sign-in/passkey": [422], "/sign-in/passkey/options": [200],
        // The app is in the query: OAuthAttackTests.
        "/oauth/authorize": [400],
        // Nobody needs an invitation on this site.
        "/settings/invitations": [404],
        // The list is empty.
        "/settings/snapshots": [409],
    ]

    static let ours = [("Origin", Browser.origin), ("Sec-Fetch-Site", "same-origin")]

    /// What a browser says of a form that comes from elsewhere, or of which it does not say whence.
    private static let foreign: [[(String, String)]] = [
        [],
        [("Origin", "https://evil.example")],
        [("Origin", "null")],
        [("Origin", "")],
        [("Origin", "https://fave.example.evil.example")],
        [("Origin", "https://fave.example@evil.example")],
        [("Origin", "https://fave.example:444")],
        [("Origin", "https://sub.fave.example")],
        [("Origin", "https://evil.example"), ("Referer", Browser.origin + "/settings")],
        [("Referer", "https://evil.example/https://fave.example/")],
        [("Referer", "https://fave.example.evil.example/")],
        [("Origin", Browser.origin), ("Sec-Fetch-Site", "cross-site")],
        [("Origin", Browser.origin), ("Sec-Fetch-Site", "same-site")],
        [("Origin", "null"), ("Sec-Fetch-Site", "none")],
        [("Origin", "null"), ("Referer", Browser.origin + "/settings")],
        [("Origin", "http://127.0.0.1:8080"), ("Sec-Fetch-Site", "same-site")],
        // The request's own Host.
        [("Origin", "http://fave.example")],
    ]

    static func withRob(
        _ body: (TestServer, Browser, _ path: (String) -> String) throws -> Void
    ) async throws {
        let settings = [
            "OIDC_ISSUER": "http://127.0.0.1:1", "OIDC_CLIENT_ID": "fave",
            "SIGN_IN_ATTEMPTS_PER_NAME": "1000", "SIGN_IN_ATTEMPTS_PER_ADDRESS": "1000",
            "SMTP_URL": "smtp://127.0.0.1:1?tls=off", "SMTP_FROM": "games@fave.example",
        ]
        try await TestServer.run(.migrated, settings: settings) { server in
            let rob = try server.browser("rob")
            try server.execute(
                """
                INSERT INTO mail_addresses (user_id, address, canonical)
                SELECT id, 'old@mail.example', 'old@mail.example' FROM users;
                INSERT INTO mail_verifications (user_id, address, canonical, token_hashes, expires_at)
                SELECT id, 'rob@mail.example', 'rob@mail.example',
                       ARRAY[sha256(decode(repeat('00', 32), 'hex'))], now() + interval '1 day'
                FROM users;
                INSERT INTO identities (issuer, subject, user_id)
                SELECT 'https://issuer.example', 'rob', id FROM users WHERE username = 'rob';
                UPDATE users SET role = 'moderator';
                INSERT INTO users (username, display_name, new_until)
                VALUES ('nell', 'Nell', now() + interval '1 day');
                INSERT INTO users (username, display_name, visibility, hidden_visibility)
                VALUES ('max', 'Max', 'private', 'public');
                INSERT INTO cases (kind, user_id)
                SELECT 'profile', id FROM users WHERE username = 'nell';
                INSERT INTO moderation_actions (action, user_id)
                SELECT 'hide_list', id FROM users WHERE username = 'max';
                INSERT INTO passkeys (user_id, credential_id, public_key, counter, name)
                SELECT id, sha256('credential'), 'key', 0, 'Phone' FROM users WHERE username = 'rob';
                INSERT INTO invitations (user_id, token_hash, uses, uses_left, expires_at)
                SELECT id, sha256('invitation'), 1, 1, now() + interval '1 day'
                FROM users WHERE username = 'rob';
                INSERT INTO snapshots (user_id, slug, title, place, size, shows_ratings)
                SELECT id, '2026-1', 'My five', 1, 1, false FROM users WHERE username = 'rob';
                INSERT INTO personal_tokens (user_id, token_hash, name, scopes)
                SELECT id, sha256('secret'), 'Sheet', '{read}' FROM users WHERE username = 'rob';
                INSERT INTO apps (user_id, name, address, redirects)
                SELECT id, 'Shelf', 'https://shelf.example', '{https://shelf.example/x}'
                FROM users WHERE username = 'rob';
                INSERT INTO imports (user_id, file_name, row_count, done_count, state)
                SELECT id, 'old.csv', 1, 1, 'done' FROM users WHERE username = 'rob';
                INSERT INTO former_usernames (username, user_id) SELECT 'robert', id FROM users WHERE username = 'rob';
                SELECT make_circle(id, 'Ours', '', 'public') FROM users WHERE username = 'rob';
                SELECT make_circle(id, 'Theirs', '', 'public') FROM users WHERE username = 'nell';
                SELECT make_circle(id, 'Open', '', 'public') FROM users WHERE username = 'nell';
                SELECT add_circle_member(c.id, u.id, false) FROM circles c, users u
                WHERE (c.name, u.username) IN (('Ours', 'nell'), ('Theirs', 'rob'));
                INSERT INTO circle_invitations (circle_id, token_hash, uses, uses_left, expires_at)
                SELECT id, CASE name WHEN 'Open' THEN sha256(decode(repeat('00', 32), 'hex'))
                                     ELSE sha256('other') END, 2, 2, now() + interval '1 day'
                FROM circles WHERE name <> 'Theirs';
                INSERT INTO circle_webhooks (circle_id, owner_id, address, secret)
                SELECT c.id, u.id, 'https://hooks.invalid/x', sha256('') FROM circles c, users u
                WHERE (c.name, u.username) = ('Ours', 'rob');
                INSERT INTO platforms (id, slug, name) VALUES (48, 'ps4--1', 'PlayStation 4');
                INSERT INTO games (id, name) VALUES (71, 'Portal');
                INSERT INTO game_platforms VALUES (71, 48);
                INSERT INTO users (username, display_name) VALUES ('zoe', 'Zoe');
                INSERT INTO entries (user_id, position, game_id, platform_id, comment)
                SELECT id, 1, 71, 48, 'Why' FROM users WHERE username = 'zoe';
                INSERT INTO follows (follower_id, followed_id)
                SELECT z.id, r.id FROM users z, users r
                WHERE z.username = 'zoe' AND r.username = 'rob';
                INSERT INTO follow_feeds (user_id, token_hash)
                SELECT id, sha256('feed') FROM users WHERE username = 'rob';
                INSERT INTO users (username, display_name) VALUES ('kim', 'Kim');
                INSERT INTO blocks (blocker_id, blocked_id)
                SELECT r.id, k.id FROM users r, users k
                WHERE r.username = 'rob' AND k.username = 'kim'
                """)
            let entry: String = try server.database.session()
                .query("SELECT id::text FROM entries")[0][0]
            let identity: String = try server.database.session()
                .query("SELECT id::text FROM identities")[0][0]
            let session: String = try server.database.session()
                .query("SELECT id::text FROM sessions")[0][0]
            let passkey: String = try server.database.session()
                .query("SELECT id::text FROM passkeys")[0][0]
            let invitation: String = try server.database.session()
                .query("SELECT id::text FROM invitations")[0][0]
            let token: String = try server.database.session()
                .query("SELECT id::text FROM personal_tokens")[0][0]
            let app: String = try server.database.session()
                .query("SELECT id::text FROM apps")[0][0]
            func circle(_ name: String) throws -> String {
                try server.database.session().query(
                    "SELECT slug FROM circles WHERE name = $1", [.text(name)])[0][0]
            }
            let (ours, theirs) = (try circle("Ours"), try circle("Theirs"))
            let member: String = try server.database.session().query(
                """
                SELECT m.id::text FROM circle_members m JOIN circles c ON c.id = m.circle_id
                WHERE c.name = 'Ours' AND m.owned IS NULL
                """)[0][0]
            let circleInvitation: String = try server.database.session().query(
                """
                SELECT i.id::text FROM circle_invitations i JOIN circles c ON c.id = i.circle_id
                WHERE c.name = 'Ours'
                """)[0][0]
            try body(server, rob) {
                $0.replacing("{circle}/leave", with: theirs + "/leave")
                    .replacing("{circle}/hide", with: theirs + "/hide")
                    .replacing(
                        "{circle}/invitations/{invitation}",
                        with: "\(ours)/invitations/\(circleInvitation)"
                    )
                    .replacing("{circle}", with: ours).replacing("{member}", with: member)
                    .replacing("new/{username}", with: "new/nell")
                    .replacing("@{username}/unblock", with: "@kim/unblock")
                    .replacing("@{username}", with: "@zoe").replacing("{entry}", with: entry)
                    .replacing("followers/{username}", with: "followers/zoe")
                    .replacing("{case}", with: "1").replacing("{invitation}", with: invitation)
                    .replacing("{passkey}", with: passkey).replacing("{app}", with: app)
                    .replacing("{action}", with: "1")
                    .replacing("{provider}", with: "oidc").replacing("{identity}", with: identity)
                    .replacing("{username}", with: "robert")
                    .replacing("{session}", with: session).replacing("{snapshot}", with: "2026-1")
                    .replacing("{id}", with: token)
            }
        }
    }

    @Test("is tried at every address that takes one")
    func complete() throws {
        let posts = Routes.all.filter { $0.method == .post && $0.kind == .page }.map(\.pattern)
        #expect(!posts.isEmpty)
        #expect(Set(posts) == Set(Self.forms.map(\.path)))
    }

    @Test("is taken when it is our own", arguments: forms)
    func control(form: String, items: [String: String]) async throws {
        try await Self.withRob { server, rob, path in
            let before = try server.contents()
            let response = try rob.post(path(form), items, fields: Self.ours)
            // The provider of this test is away.
            let statuses = Self.incomplete[form] ?? [200, 303]
            #expect(statuses.contains(response.status), "\(response.text)")
            #expect(try (server.contents() != before) == (Self.incomplete[form] == nil))
        }
    }

    @Test("changes nothing when it comes from another site, or from who knows where")
    func origins() async throws {
        try await Self.withRob { server, rob, path in
            let before = try server.contents()
            for form in Self.forms {
                for fields in Self.foreign {
                    let response = try rob.post(path(form.path), form.items, fields: fields)
                    expectPage(response, 403)
                    #expect(response.setCookie(Browser.sessionCookie) == nil)
                    #expect(!response.text.contains(Browser.password))
                    #expect(
                        response.text.contains("from another site"), "\(form.path) \(fields)")
                }
            }
            #expect(try server.contents() == before)
            #expect(try rob.isSignedIn)
        }
    }

    @Test("changes nothing without the token of this browser's session")
    func tokens() async throws {
        try await Self.withRob { server, rob, path in
            let eve = try server.browser("eve")
            // What rob's browser had before it signed in, and what it has for another purpose.
            let beforeSigningIn = try #require(
                rob.cookies["__Host-form"].flatMap { SecretToken($0) })
            let session = try #require(rob.session.flatMap { SecretToken($0) })
            let own = rob.ownToken
            let tokens = [
                "", "x", eve.ownToken, beforeSigningIn.formToken(), session.derive("state"),
                session.text, String(own.dropLast()), own + "A", String(own.dropFirst()),
                "A" + own.dropFirst(), String(own.prefix(22)) + rob.ownToken.dropFirst(22),
            ]
            #expect(tokens[2] != rob.ownToken && !tokens[2].isEmpty)
            let before = try server.contents()
            for form in Self.forms {
                for token in tokens {
                    let response = try rob.post(
                        path(form.path), form.items.merging(["token": token]) { $1 })
                    expectPage(response, 403, "has expired")
                    #expect(response.setCookie(Browser.sessionCookie) == nil)
                }
                let missing = try rob.send(
                    "POST", path(form.path),
                    fields: Self.ours + [("Content-Type", "application/x-www-form-urlencoded")],
                    body: "username=rob&password=tulip+staple+42")
                expectPage(missing, 403, "has expired")
            }
            #expect(try server.contents() == before)
            #expect(try rob.isSignedIn)
        }
    }

    @Test("signs nobody in or up whose browser has no cookie, or another one's")
    func beforeSigningIn() async throws {
        try await Self.withRob { server, _, _ in
            let before = try server.contents()
            let attacker = Browser(server)
            try attacker.get("/sign-in")
            for path in ["/sign-in", "/sign-up"] {
                let items = [
                    "username": path == "/sign-in" ? "rob" : "mallory",
                    "password": Browser.password, "token": attacker.ownToken,
                ]
                let fresh = Browser(server)
                expectPage(try fresh.post(path, items), 403, "your browser sent none")
                let victim = Browser(server)
                try victim.get(path)
                let response = try victim.post(path, items)
                expectPage(response, 403, "has expired")
                #expect(victim.session == nil)
                expectPage(
                    try attacker.post(path, items, fields: [("Origin", "https://evil.example")]),
                    403, "from another site")
            }
            #expect(try server.contents() == before)
        }
    }

    @Test("is taken by POST only")
    func methods() async throws {
        try await Self.withRob { server, rob, path in
            let before = try server.contents()
            for form in Self.forms {
                let query = form.items.map {
                    "\($0)=\($1.replacing(" ", with: "+").replacing("\n", with: "%0A"))"
                }
                let target =
                    path(form.path) + "?"
                    + (query + ["token=\(rob.ownToken)"]).joined(
                        separator: "&")
                let hasPage = Routes.all.contains {
                    $0.method == .get && $0.pattern == form.path
                }
                for method in ["GET", "PUT", "PATCH", "DELETE", "post"] {
                    let response = try rob.send(method, target, fields: Self.ours, body: "")
                    if method == "GET", hasPage {
                        let isReset = form.path == "/sign-in/reset"
                        // The feed has a secret in its address.
                        let isClosed = ["/settings/invitations", "/following/feed"]
                            .contains(form.path)
                        // No app asks.
                        let isUnasked = form.path == "/oauth/authorize"
                        #expect(
                            (isReset
                                ? [403] : isClosed ? [404] : isUnasked ? [400] : [200, 303, 403])
                                .contains(response.status))
                    } else if method == "post" {
                        expectPage(response, 501)
                    } else {
                        expectPage(response, 405)
                        #expect(
                            response["allow"]
                                == (hasPage ? "GET, HEAD, OPTIONS, POST" : "OPTIONS, POST"))
                    }
                }
            }
            #expect(try server.contents() == before)
        }
    }

    @Test("of a browser that says by Referer only where it is from is taken")
    func referer() async throws {
        try await Self.withRob { _, rob, _ in
            let response = try rob.post(
                "/settings/sign-out-everywhere",
                fields: [("Referer", Browser.origin + "/settings?saved=profile")])
            #expect(response.status == 303)
        }
    }

    /// A proxy that sets `Referrer-Policy: no-referrer` makes browsers hide the origin.
    @Test(
        "of which the browser itself says that it is from the same origin is taken",
        arguments: [
            [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")],
            [("Sec-Fetch-Site", "same-origin")],
            // At another name, or by a proxy that changes Host.
            [("Origin", "https://192.0.2.1"), ("Sec-Fetch-Site", "same-origin")],
            // On the machine itself.
            [("Origin", "http://localhost:8080")], [("Origin", "http://127.0.0.1:8080")],
            [("Origin", "http://[::1]:8080"), ("Sec-Fetch-Site", "none")],
        ])
    func sameOrigin(fields: [(String, String)]) async throws {
        try await Self.withRob { server, rob, _ in
            let form = [
                "displayName": "Robert", "bio": "", "visibility": "public", "showsRatings": "no",
            ]
            // The form's token is needed all the same.
            var forged = form
            forged["token"] = "x"
            #expect(try rob.post("/settings/profile", forged, fields: fields).status == 403)
            #expect(try rob.post("/settings/profile", form, fields: fields).status == 303)
            let renamed = try server.count("users WHERE display_name = 'Robert'")
            #expect(renamed == 1)
        }
    }

    @Test("leads to the way to sign in when nobody is signed in")
    func nobody() async throws {
        try await Self.withRob { server, _, path in
            let before = try server.contents()
            let browser = Browser(server)
            try browser.get("/sign-in")
            for form in Self.forms where form.path.hasPrefix("/settings/") {
                let response = try browser.post(path(form.path), form.items)
                if response.status == 403 {
                    expectPage(response, 403, "href=\"/sign-in?return=")
                } else {
                    #expect(response.status == 303)
                    #expect(response["location"]?.hasPrefix("/sign-in?return=") == true)
                }
            }
            #expect(try server.contents() == before)
        }
    }

    // MARK: What is not a form

    @Test("is refused when it is no form at all")
    func types() async throws {
        try await Self.withRob { server, rob, path in
            let before = try server.contents()
            for form in Self.forms {
                for type in [
                    "application/json", "text/plain", "multipart/form-data; boundary=x", "",
                    "application/x-www-form-urlencoded, text/plain",
                ] {
                    let response = try rob.send(
                        "POST", path(form.path), fields: Self.ours + [("Content-Type", type)],
                        body: "token=\(rob.ownToken)&username=rob&password=tulip+staple+42")
                    expectPage(response, 415)
                }
            }
            #expect(try server.contents() == before)
        }
    }

    @Test("is refused when it cannot be read, or is too large")
    func malformed() async throws {
        try await Self.withRob { server, rob, path in
            let before = try server.contents()
            let type = [("Content-Type", "application/x-www-form-urlencoded")]
            for form in Self.forms {
                for body in [
                    "a=%", "a=%zz", "a=%ff", "%c3%28=b", "a=%00", "a=\u{0}",
                    Array(repeating: "a=b", count: 300).joined(separator: "&"),
                ] {
                    let response = try rob.send(
                        "POST", path(form.path), fields: Self.ours + type,
                        body: "token=\(rob.ownToken)&" + body)
                    #expect((400..<500).contains(response.status), "\(form.path) \(body)")
                    #expect(response.status != 403)
                    #expect(response["content-type"] == "text/html; charset=utf-8")
                }
            }
            let large = try rob.send(
                "POST", "/settings/profile", fields: Self.ours + type,
                body: "token=\(rob.ownToken)&bio=" + String(repeating: "x", count: 65_536))
            #expect(large.status == 413)
            #expect(try server.contents() == before)
        }
    }
}

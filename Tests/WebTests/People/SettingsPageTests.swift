import Foundation
import TestSupport
import Testing

@Suite("The settings", .blocking)
struct SettingsPageTests {
    private static let new = "daisy hammer 77"

    @Test("are for those who are signed in; others are sent to do so, and come back")
    func members() async throws {
        try await TestServer.run(.migrated) { server in
            let browser = Browser(server)
            for path in ["/settings", "/settings/export"] {
                let response = try browser.get(path)
                #expect(response.status == 303)
                let encoded = path.replacing("/", with: "%2F")
                let targets = ["/sign-in?return=\(path)", "/sign-in?return=\(encoded)"]
                #expect(
                    targets.contains(response["location"] ?? ""), "\(response["location"] ?? "")")
                #expect(response["cache-control"] == "no-store")
            }
            let rob = try server.browser("rob")
            let page = try rob.get("/settings")
            expectPage(page, 200)
            #expect(page["cache-control"] == "no-store")
            #expect(page.text.contains("<meta name=\"robots\" content=\"noindex\">"))
        }
    }

    @Test("list all their sections at the top, in the order of the page")
    func contents() async throws {
        let settings = [
            "SMTP_URL": "smtp://127.0.0.1:1",
            "SMTP_FROM": "games@fave.example", "OIDC_ISSUER": "http://127.0.0.1:1",
            "OIDC_CLIENT_ID": "fave",
        ]
        for (full, count) in [(false, 13), (true, 17)] {
            try await TestServer.run(.migrated, settings: full ? settings : [:]) { server in
                let rob = try server.browser("rob")
                if full {
                    try server.execute(
                        """
                        UPDATE users SET role = 'moderator';
                        INSERT INTO moderation_actions (actor_id, action, user_id, reason)
                        SELECT id, 'suspend', id, 'Advertising.' FROM users
                        """)
                }
                let page = try rob.get("/settings").text
                let nav = try #require(page.firstMatch(of: /aria-label="Sections">([^§]*?)<\/nav>/))
                let links = nav.1.matches(of: /href="#([a-z-]+)">([^<]+)</)
                let sections = page.matches(of: /<section id="([a-z-]+)"/)
                #expect(links.map { String($0.1) } == sections.map { String($0.1) })
                #expect(links.count == count, "\(links.map(\.2))")
            }
        }
    }

    @Test("are where password managers are sent to change a password")
    func changePassword() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let response = try rob.get("/.well-known/change-password")
            #expect(response.status == 307)
            #expect(response["location"] == "/settings#password")
            expectPage(try rob.get("/settings"), 200, "id=\"password\"")
            // Password managers ask for this, too, to see whether the site says 200 to everything.
            let other =
                "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
            #expect(try rob.get(other).status == 404)
        }
    }

    @Test("change the password, which ends all other sessions and renews this one")
    func password() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let other = Browser(server)
            try other.signIn("rob")
            let eve = try server.browser("eve")
            let copy = rob.copy(server)
            let before = try #require(rob.session)
            let response = try rob.post(
                "/settings/password",
                ["currentPassword": Browser.password, "newPassword": Self.new])
            #expect(response.status == 303)
            #expect(response["location"] == "/settings?saved=password")
            #expect(rob.session != nil && rob.session != before)
            expectPage(try rob.get("/settings?saved=password"), 200, "Your password is set.")
            #expect(try !other.isSignedIn)
            #expect(try !copy.isSignedIn, "the token of before is void")
            #expect(try eve.isSignedIn, "others are not concerned")
            #expect(try other.signIn("rob").status == 401)
            #expect(try other.signIn("rob", password: Self.new).status == 303)
        }
    }

    @Test("refuse a wrong password and a weak one, and then nothing has changed")
    func wrongPasswords() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let before = try server.contents()
            for current in ["tulip staple 43", "", " " + Browser.password] {
                let page = try rob.post(
                    "/settings/password", ["currentPassword": current, "newPassword": Self.new])
                expectFault(page, at: "current", "Wrong password")
                #expect(!page.text.contains(Self.new))
                #expect(!page.text.contains("tulip"))
            }
            for (new, text) in [
                ("short", "at least 8"), ("password1", "easy to guess"), ("", "at least"),
            ] {
                expectFault(
                    try rob.post(
                        "/settings/password",
                        ["currentPassword": Browser.password, "newPassword": new]),
                    at: "new", text)
            }
            #expect(try server.contents() == before)
            #expect(try rob.isSignedIn)
        }
    }

    @Test("set a password for whoever has none, but not instead of one")
    func firstPassword() async throws {
        try await TestServer.run(.migrated) { server in
            _ = try await server.makeUser("rob")
            let rob = try server.browser(signedInAs: "rob")
            #expect(try rob.get("/settings").text.contains("Set a password"))
            let response = try rob.post("/settings/password", ["newPassword": Self.new])
            #expect(response["location"] == "/settings?saved=password")
            #expect(try Browser(server).signIn("rob", password: Self.new).status == 303)
            try rob.get("/settings")
            expectFault(
                try rob.post("/settings/password", ["newPassword": "other flower 12"]),
                at: "current",
                "Wrong password")
        }
    }

    @Test("sign out everywhere")
    func everywhere() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let other = Browser(server)
            try other.signIn("rob")
            let eve = try server.browser("eve")
            #expect(try rob.get("/settings").text.contains("signed in on 2 devices"))
            let response = try rob.post("/settings/sign-out-everywhere")
            #expect(response.status == 303)
            #expect(response["location"] == "/sign-in")
            #expect(rob.session == nil)
            #expect(try !rob.isSignedIn)
            #expect(try !other.isSignedIn)
            #expect(try eve.isSignedIn)
            #expect(try server.count("sessions") == 1)
        }
    }

    @Test("give up old usernames, which then lead nowhere and are free; nobody else's")
    func giveUpUsername() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let eve = try server.browser("eve")
            for name in ["bertie", "robert"] {
                try rob.get("/settings")
                try rob.post("/settings/username", ["username": name])
            }
            let page = try rob.get("/settings")
            expectPage(page, 200, "action=\"/settings/former-usernames/bertie\"")
            expectPage(page, 200, "action=\"/settings/former-usernames/rob\"")
            try eve.get("/settings")
            #expect(try eve.post("/settings/former-usernames/rob").status == 303)
            #expect(try server.send("GET", "/@rob").status == 307)
            let gone = try rob.post("/settings/former-usernames/rob")
            #expect(gone["location"] == "/settings?saved=formerUsername")
            for path in ["/@rob", "/api/v1/users/rob"] {
                #expect(try server.send("GET", path).status == 404, "\(path)")
            }
            #expect(try server.send("GET", "/@bertie").status == 307)
            #expect(try !rob.get("/settings").text.contains("former-usernames/rob"))
            #expect(try rob.post("/settings/former-usernames/!").status == 404)

            let token = try await server.token(of: "robert")
            let path = "/api/v1/me/former-usernames"
            #expect(
                try server.send("GET", path, token: token).object["usernames"] as? [String]
                    == ["bertie"])
            #expect(try server.send("DELETE", "\(path)/Bertie", token: token).status == 204)
            #expect(try server.send("DELETE", "\(path)/bertie", token: token).status == 204)
            #expect(try server.send("DELETE", "\(path)/bertie").status == 401)
            #expect(try server.send("GET", "/@bertie").status == 404)
            try server.browser("bertie")
        }
    }

    @Test("change the username; the old one leads to the new one until someone takes it")
    func rename() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            func post(_ name: String) throws -> RawResponse {
                try rob.post("/settings/username", ["username": name])
            }
            #expect(try post("Bertie")["location"] == "/settings?saved=username")
            #expect(try post("robert").status == 303)
            expectPage(try rob.get("/@robert"), 200)
            for old in ["rob", "bertie"] {
                for (from, to) in [
                    ("/@\(old)", "/@robert"), ("/api/v1/users/\(old)", "/api/v1/users/robert"),
                    ("/api/v1/users/\(old)/list", "/api/v1/users/robert/list"),
                ] {
                    let response = try server.send("GET", from)
                    #expect(response.status == 307)
                    #expect(response["location"] == to)
                    #expect(response["cache-control"] == "no-store", "it may be taken")
                }
            }
            #expect(try Browser(server).signIn("rob").status == 401)
            #expect(try Browser(server).signIn("robert").status == 303)
            try server.execute("UPDATE former_usernames SET left_at = now() - interval '91 days'")
            try server.browser("rob")
            expectPage(try rob.get("/@rob"), 200)
            #expect(try server.send("GET", "/api/v1/users/rob").status == 200)
            #expect(try rob.get("/@bertie").status == 307)
            // Back to a name of before: nothing leads in circles.
            try rob.get("/settings")
            #expect(try post("bertie").status == 303)
            expectPage(try rob.get("/@bertie"), 200)
            #expect(try rob.get("/@robert")["location"] == "/@bertie")
            // Whom nobody may see, nobody finds by an old name.
            try server.execute("UPDATE users SET visibility = 'private' WHERE username = 'bertie'")
            #expect(try Browser(server).get("/@robert").status == 404)
            #expect(try server.send("GET", "/api/v1/users/robert").status == 404)
        }
    }

    @Test("refuse a username that nobody can have, and keep what was typed")
    func wrongUsernames() async throws {
        try await TestServer.run(.migrated) { server in
            try server.browser("carol")
            let rob = try server.browser("rob")
            let before = try server.contents()
            for (name, text) in [
                ("x", "2–30"), ("rob smith", "2–30"), ("Admin", "isn’t available"),
                ("carol", "taken"), ("Carol", "taken"), ("car0l", "taken"), ("caro1", "taken"),
            ] {
                expectFault(
                    try rob.post("/settings/username", ["username": name]), at: "new-username",
                    text, value: name)
            }
            #expect(try server.contents() == before)
            #expect(try rob.post("/settings/username", ["username": "r0b"]).status == 303)
        }
    }

    @Test("change name and text, which stand on the list's page")
    func profile() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let response = try rob.post(
                "/settings/profile",
                [
                    "displayName": " Rob\u{202E}  Róbert ", "bio": "I like\r\nTrico.",
                    "visibility": "public", "showsRatings": "no",
                ])
            #expect(response["location"] == "/settings?saved=profile")
            let page = try server.send("GET", "/@rob").text
            #expect(page.contains("Rob Róbert"))
            #expect(page.contains("I like Trico."))
            #expect(!page.contains("noindex"))
            let settings = try rob.get("/settings?saved=profile")
            #expect(settings.control("display-name").contains("value=\"Rob Róbert\""))
            #expect(settings.text.contains("<p class=\"notice\" role=\"status\">Saved.</p>"))
            // What the address says is not shown, although links to other languages lead back to it.
            let evil = try rob.get("/settings?saved=%3Cb%3Eevil").text
            #expect(evil.split(separator: "<footer")[0].contains("evil") == false)
        }
    }

    @Test("refuse a wrong profile at its fields, and keep what was typed")
    func wrongProfiles() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try server.browser("rob")
            let before = try server.contents()
            let right = [
                "displayName": "Robert", "bio": "Hello", "visibility": "private",
                "showsRatings": "no",
            ]
            func post(_ name: String, _ value: String) throws -> RawResponse {
                try rob.post("/settings/profile", right.merging([name: value]) { $1 })
            }
            for name in ["", " \u{200B} ", String(repeating: "x", count: 81)] {
                let page = try post("displayName", name)
                expectFault(page, at: "display-name", "1–80")
                #expect(page.text.contains("Hello</textarea>"))
                #expect(page.control("is-private").contains(" checked"))
            }
            let long = String(repeating: "é", count: 301)
            let page = try post("bio", long)
            expectFault(page, at: "bio", "at most 300")
            #expect(page.text.contains(long + "</textarea>"))
            #expect(page.control("display-name").contains("value=\"Robert\""))
            let visibility = try post("visibility", "secret")
            #expect(visibility.status == 422)
            #expect(visibility.fault("visibility") != nil)
            #expect(try server.contents() == before)
        }
    }

    @Test("say who may see the list: anyone, whoever has the link, or only oneself")
    func visibility() async throws {
        try await TestServer.run { server in
            let token = try await server.makeUser("rob")
            _ = try server.send(
                "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")],
                json: #"{"entries": [{"gameId": 117, "platformId": 48, "comment": "Trico."}]}"#)
            let rob = try server.browser(signedInAs: "rob")
            func set(_ visibility: String) throws {
                try rob.get("/settings")
                let response = try rob.post(
                    "/settings/profile",
                    [
                        "displayName": "Rob", "bio": "", "visibility": visibility,
                        "showsRatings": "no",
                    ])
                #expect(response.status == 303)
            }
            func status(_ path: String) throws -> Int { try server.send("GET", path).status }
            func ranked() throws -> Int {
                try server.send("GET", "/api/v1/platforms/48/ranking").object.objects("games")
                    .count
            }
            func isListed() throws -> Bool {
                try server.send("GET", "/api/v1/users?search=rob").object.objects("users").count
                    == 1
            }
            #expect(try ranked() == 1)
            #expect(try isListed())

            try set("unlisted")
            let page = try server.send("GET", "/@rob")
            expectPage(page, 200, "<meta name=\"robots\" content=\"noindex\">")
            #expect(try status("/api/v1/users/rob/list") == 200)
            #expect(try ranked() == 1)
            #expect(try !isListed())
            #expect(try !server.send("GET", "/platforms/ps4--1").text.contains("Trico."))

            try set("private")
            let eve = try server.browser("eve")
            expectPage(try eve.get("/@rob"), 404)
            #expect(try status("/@rob") == 404)
            #expect(try status("/api/v1/users/rob") == 404)
            #expect(try status("/api/v1/users/rob/list") == 404)
            #expect(try ranked() == 0)
            #expect(try !isListed())
            let own = try rob.get("/@rob")
            expectPage(own, 200, "The Last Guardian")
            #expect(own["cache-control"]?.contains("private") == true)
            #expect(own["vary"]?.contains("Cookie") == true)
            #expect(own.text.contains("noindex"))

            try set("public")
            #expect(try status("/@rob") == 200)
            #expect(try ranked() == 1)
        }
    }

    @Test("export everything that is stored, without the secrets")
    func export() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("rob")
            let renamed = try rob.post("/settings/username", ["username": "robert"])
            #expect(renamed.status == 303, "\(renamed.text.suffix(5000))")
            try server.execute(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id, comment)
                SELECT id, 1, 117, 48, 'Trico.' FROM users;
                INSERT INTO identities (issuer, subject, user_id)
                SELECT 'https://issuer.example', 'subject-1', id FROM users;
                """)
            try server.browser("eve")
            let file = try rob.get("/settings/export")
            #expect(file.status == 200)
            #expect(file["content-type"] == "application/json")
            #expect(
                file["content-disposition"] == "attachment; filename=\"fave-games-robert.json\"")
            #expect(file["cache-control"] == "no-store")
            let json = try file.object
            #expect(json.object("user").string("username") == "robert")
            #expect(json.object("user")["formerUsernames"] as? [String] == ["rob"])
            #expect(json.object("list").objects("entries").first?.string("comment") == "Trico.")
            #expect(json.objects("identities").first?.string("subject") == "subject-1")
            #expect(json.objects("sessions").count == 1)
            #expect(json.object("password").string("changedAt") != nil)
            #expect(!file.text.contains("scrypt"))
            #expect(!file.text.contains("eve"))
            #expect(try !file.text.contains(#require(rob.session)))
        }
    }

    @Test("delete the account only when name and password are right, and then all of it")
    func delete() async throws {
        try await TestServer.run { server in
            let rob = try server.browser("rob")
            let other = Browser(server)
            try other.signIn("rob")
            let eve = try server.browser("eve")
            try server.execute(
                """
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT id, 1, 117, 48 FROM users;
                INSERT INTO entries (user_id, position, game_id, platform_id)
                SELECT id, 2, 120, 48 FROM users WHERE username = 'rob';
                INSERT INTO identities (issuer, subject, user_id)
                SELECT 'https://issuer.example', username, id FROM users;
                """)
            try rob.post("/settings/username", ["username": "robert"])
            func ranking() throws -> [Int?] {
                try server.send("GET", "/api/v1/platforms/48/ranking").object.objects("games")
                    .map { $0.int("includedBy") }
            }
            #expect(try ranking() == [2, 1])
            let before = try server.contents()
            try rob.get("/settings")
            for name in ["", "rob", "eve", "robert x"] {
                expectFault(
                    try rob.post(
                        "/settings/delete", ["username": name, "password": Browser.password]),
                    at: "delete-username", "Type your username")
            }
            for password in ["", "tulip staple 43"] {
                expectFault(
                    try rob.post(
                        "/settings/delete", ["username": "robert", "password": password]),
                    at: "delete-password", "Wrong password")
            }
            #expect(try server.contents() == before)

            let response = try rob.post(
                "/settings/delete", ["username": "Robert", "password": Browser.password])
            #expect(response.status == 303)
            #expect(response["location"] == "/?done=account-deleted")
            #expect(rob.session == nil)
            #expect(try !other.isSignedIn)
            #expect(try eve.isSignedIn)
            #expect(try ranking() == [1])
            for table in ["users", "lists", "passwords", "sessions", "identities", "entries"] {
                #expect(try server.count(table) == 1, "\(table)")
            }
            #expect(try server.count("former_usernames") == 0)
            for name in ["rob", "robert"] {
                #expect(try eve.get("/@\(name)").status == 404)
                #expect(try server.send("GET", "/api/v1/users/\(name)").status == 404)
            }
            #expect(try other.signIn("robert").status == 401)
            #expect(try server.count("retired_usernames") == 2)
            try server.execute("DELETE FROM retired_usernames")
            try server.browser("robert")
        }
    }

    @Test("delete an account without a password by its name alone")
    func deleteWithoutPassword() async throws {
        try await TestServer.run(.migrated) { server in
            _ = try await server.makeUser("rob")
            let rob = try server.browser(signedInAs: "rob")
            #expect(try rob.get("/settings").control("delete-password").isEmpty)
            #expect(try rob.post("/settings/delete", ["username": "rob"]).status == 303)
            #expect(try server.count("users") == 0)
        }
    }
}

import Foundation
import TestSupport
import Testing

/// Someone with an account of our own, as a client of the API.
private struct Client {
    let server: TestServer
    let username: String
    var access = ""
    var refresh = ""

    /// Signs up and in.
    init(_ server: TestServer, _ username: String = "rob") throws {
        self.server = server
        self.username = username
        let made = try server.send("POST", "/api/v1/users", json: credentials())
        guard made.status == 201 else { throw TestFailure("\(made.text)") }
        try take(signIn())
    }

    func credentials(_ password: String = Browser.password) -> String {
        #"{"username": "\#(username)", "password": "\#(password)"}"#
    }

    func signIn(_ password: String = Browser.password) throws -> RawResponse {
        try server.send("POST", "/api/v1/sessions", json: credentials(password))
    }

    mutating func take(_ response: RawResponse) throws {
        access = try response.object.string("accessToken") ?? ""
        refresh = try response.object.string("refreshToken") ?? ""
    }

    func refreshed(_ token: String? = nil) throws -> RawResponse {
        try server.send(
            "POST", "/api/v1/sessions/refresh",
            json: #"{"refreshToken": "\#(token ?? refresh)"}"#)
    }

    func send(_ method: String, _ path: String, _ json: String? = nil) throws -> RawResponse {
        try server.send(method, "/api/v1" + path, token: access, json: json)
    }

    var isSignedIn: Bool { get throws { try send("GET", "/me").status == 200 } }
}

@Suite("A session of the API", .blocking)
struct SessionsAPITests {
    @Test("is opened with the name and password of an account")
    func open() async throws {
        try await TestServer.run(.migrated) { server in
            let json = #"{"username": "Rob", "password": "\#(Browser.password)"}"#
            let made = try server.send("POST", "/api/v1/users", json: json)
            #expect(made.status == 201)
            #expect(made["location"] == "/api/v1/users/rob")
            #expect(made["cache-control"] == "no-store")
            #expect(made.setCookies.isEmpty)
            #expect(try made.object.string("username") == "rob")
            #expect(try made.object.string("visibility") == "public")
            let response = try server.send("POST", "/api/v1/sessions", json: json)
            #expect(response.status == 201)
            #expect(response["cache-control"] == "no-store")
            #expect(response.setCookies.isEmpty)
            let object = try response.object
            #expect(object.string("tokenType") == "Bearer")
            #expect(object.int("expiresIn") == 900)
            #expect(object.object("user").string("username") == "rob")
            let me = try server.send("GET", "/api/v1/me", token: object.string("accessToken"))
            #expect(try me.object.string("id") == made.object.string("id"))
            try expectProblem(
                server.send("GET", "/api/v1/me", token: object.string("refreshToken")), 401)
        }
    }

    @Test("is opened for nobody else, and nobody learns why")
    func wrong() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try Client(server)
            _ = try await server.makeUser("provided")
            let responses = try ["rob", "provided", "unknown", "not a name!"].map { name in
                let response = try server.send(
                    "POST", "/api/v1/sessions",
                    json: #"{"username": "\#(name)", "password": "wrong password"}"#)
                let problem = try expectProblem(
                    response, 401, "Wrong username or password.")
                // What is another one each time.
                return response.text.replacing(problem.string("instance") ?? "", with: "…")
            }
            #expect(Set(responses).count == 1)
            for (json, errors) in [
                ("{}", ["/username This is missing.", "/password This is missing."]),
                (
                    #"{"username": 1, "password": null, "x": 1}"#,
                    [
                        "/username This must be a string, not a number.",
                        "/password This must be a string, not null.", "/x This is not known here.",
                    ]
                ),
            ] {
                let problem = try expectProblem(
                    server.send("POST", "/api/v1/sessions", json: json), 422)
                #expect(memberErrors(problem) == errors)
            }
            try server.execute("UPDATE users SET disabled_at = now()")
            try expectProblem(rob.signIn(), 403, "disabled")
            try expectProblem(rob.refreshed(), 401)
            #expect(try !rob.isSignedIn)
        }
    }

    @Test("needs an account, which nobody gets with a wrong name or password")
    func accounts() async throws {
        try await TestServer.run(.migrated) { server in
            _ = try Client(server)
            func post(_ name: String, _ password: String = Browser.password) throws -> RawResponse {
                try server.send(
                    "POST", "/api/v1/users",
                    json: #"{"username": "\#(name)", "password": "\#(password)"}"#)
            }
            let rule = try expectProblem(post("r ob"), 422)
            #expect(memberErrors(rule).first?.hasPrefix("/username Use 2–30") == true)
            try expectProblem(post("admin"), 422, "isn’t available")
            try expectProblem(post("ROB"), 409, "taken")
            try expectProblem(post("r0b"), 409, "taken")
            try expectProblem(post("robert", "password1"), 422, "too easy to guess")
            try expectProblem(post("robert", "short"), 422, "at least 8")
            #expect(try server.count("users") == 1)
        }
    }

    @Test("goes on with a refresh token, each good once")
    func refresh() async throws {
        try await TestServer.run(.migrated) { server in
            var rob = try Client(server)
            let first = rob
            for _ in 0..<3 {
                let response = try rob.refreshed()
                #expect(response.status == 200)
                #expect(response["cache-control"] == "no-store")
                let before = rob.refresh
                try rob.take(response)
                #expect(rob.refresh != before)
                #expect(try rob.isSignedIn)
            }
            #expect(try first.isSignedIn, "an access token lives until it expires")
            #expect(try server.count("sessions") == 1)
        }
    }

    @Test("survives a response to a refresh that was lost, for some seconds")
    func lostResponse() async throws {
        try await TestServer.run(.migrated) { server in
            var rob = try Client(server)
            let old = rob.refresh
            let lost = try rob.refreshed()
            // However slow this test is, that was a moment ago.
            try server.execute("UPDATE sessions SET seen_at = now() + interval '1 hour'")
            let again = try rob.refreshed()
            #expect(lost.status == 200 && again.status == 200)
            let next = try lost.object.string("refreshToken")
            #expect(next != old)
            #expect(try again.object.string("refreshToken") == next)
            try rob.take(again)
            #expect(try rob.isSignedIn)
            try server.execute("UPDATE sessions SET seen_at = now() - interval '31 seconds'")
            try expectProblem(rob.refreshed(old), 401, "not valid")
            #expect(try !rob.isSignedIn)
            try expectProblem(rob.refreshed(), 401)
        }
    }

    @Test("ends when a refresh token comes a second time, with all of its tokens")
    func reuse() async throws {
        try await TestServer.run(.migrated) { server in
            var rob = try Client(server)
            let stolen = rob.refresh
            var other = rob
            try other.take(rob.signIn())
            try rob.take(rob.refreshed())
            try rob.take(rob.refreshed())
            #expect(try rob.isSignedIn)
            try expectProblem(rob.refreshed(stolen), 401, "not valid")
            #expect(try !rob.isSignedIn, "the access token is void, too")
            try expectProblem(rob.refreshed(), 401)
            #expect(try other.isSignedIn, "another session is not concerned")
            #expect(try other.refreshed().status == 200)
            for token in ["", "x", stolen + "A", rob.access] {
                try expectProblem(rob.refreshed(token), 401)
            }
        }
    }

    @Test("that has expired is not refreshed, and a browser's never is")
    func notRefreshed() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try Client(server)
            let browser = Browser(server)
            try browser.signIn("rob")
            let cookie = try #require(browser.session)
            try expectProblem(rob.refreshed(cookie), 401)
            #expect(try browser.isSignedIn)
            try server.execute("UPDATE sessions SET expires_at = now() - interval '1 second'")
            try expectProblem(rob.refreshed(), 401)
            #expect(try !rob.isSignedIn)
        }
    }

    @Test("ends alone when it is deleted")
    func delete() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try Client(server)
            var other = rob
            try other.take(rob.signIn())
            #expect(try rob.send("DELETE", "/sessions/current").status == 204)
            #expect(try !rob.isSignedIn)
            try expectProblem(rob.refreshed(), 401)
            try expectProblem(rob.send("DELETE", "/sessions/current"), 401)
            #expect(try other.isSignedIn)
            // A token that belongs to no session, as fave-admin makes them.
            let token = try await server.makeUser("ada")
            try expectProblem(
                server.send("DELETE", "/api/v1/sessions/current", token: token), 409)
        }
    }

    @Test("ends with all others of its user, and only these")
    func deleteAll() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try Client(server)
            let eve = try Client(server, "eve")
            var other = rob
            try other.take(rob.signIn())
            let browser = Browser(server)
            try browser.signIn("rob")
            #expect(try rob.send("DELETE", "/me/sessions").status == 204)
            for client in [rob, other] {
                #expect(try !client.isSignedIn)
                try expectProblem(client.refreshed(), 401)
            }
            #expect(try !browser.isSignedIn)
            #expect(try eve.isSignedIn)
        }
    }

    @Test("ends at once when the password changes")
    func password() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try Client(server)
            let eve = try Client(server, "eve")
            var other = rob
            try other.take(rob.signIn())
            let browser = Browser(server)
            try browser.signIn("rob")
            func put(_ current: String, _ new: String) throws -> RawResponse {
                try rob.send(
                    "PUT", "/me/password",
                    #"{"currentPassword": "\#(current)", "newPassword": "\#(new)"}"#)
            }
            try expectProblem(put("wrong password", "daisy hammer 77"), 403, "Wrong password")
            try expectProblem(put(Browser.password, "password1"), 422, "too easy to guess")
            try expectProblem(
                rob.send("PUT", "/me/password", #"{"newPassword": "daisy hammer 77"}"#), 403)
            let missing = try expectProblem(
                rob.send("PUT", "/me/password", #"{"currentPassword": "x"}"#), 422)
            #expect(memberErrors(missing) == ["/newPassword This is missing."])
            #expect(try rob.isSignedIn)
            #expect(try put(Browser.password, "daisy hammer 77").status == 204)
            for client in [rob, other] {
                #expect(try !client.isSignedIn)
                try expectProblem(client.refreshed(), 401)
            }
            #expect(try !browser.isSignedIn)
            #expect(try eve.isSignedIn)
            #expect(try rob.signIn().status == 401)
            #expect(try rob.signIn("daisy hammer 77").status == 201)
        }
    }
}

@Suite("Oneself at the API", .blocking)
struct MeAPITests {
    @Test("is changed in what is given, and stays as it is otherwise")
    func change() async throws {
        try await Person.with { rob in
            func patch(_ json: String) throws -> [String: Any] {
                let response = try rob.send("PATCH", "/me", json)
                #expect(response.status == 200, "\(response.text)")
                return try response.object
            }
            let first = try patch(#"{"displayName": " Róbert\t S. ", "bio": "a\nb"}"#)
            #expect(first.string("displayName") == "Róbert S.")
            #expect(first.string("bio") == "a b")
            #expect(first.string("username") == "rob")
            #expect(first.string("visibility") == "public")
            let second = try patch(#"{"username": "Robert", "visibility": "private"}"#)
            #expect(second.string("username") == "robert")
            #expect(second.string("displayName") == "Róbert S.")
            #expect(second.string("bio") == "a b")
            #expect(second.string("visibility") == "private")
            #expect(second.string("id") == first.string("id"))
            #expect(try patch(#"{"bio": ""}"#).string("bio") == "")
            #expect(try patch("{}").string("username") == "robert")
            #expect(try rob.send("GET", "/me").object.string("username") == "robert")
            #expect(try rob.server.send("GET", "/api/v1/users/robert").status == 404)
        }
    }

    @Test("is not changed by what is wrong, and all of it is told")
    func wrongMembers() async throws {
        try await Person.with { rob in
            _ = try await rob.server.makeUser("ada")
            let before = try rob.server.contents()
            let problem = try expectProblem(
                rob.send(
                    "PATCH", "/me",
                    """
                    {"username": "a", "displayName": "", "bio": 5, "visibility": "secret",
                     "id": "x", "createdAt": "2020-01-01T00:00:00Z", "disabledAt": null}
                    """), 422)
            #expect(
                memberErrors(problem) == [
                    "/username Use 2–30 characters: a–z, 0–9, _ or -.",
                    "/displayName Use 1–80 characters, at least one of them visible.",
                    "/bio This must be a string, not a number.",
                    "/visibility This must be one of public, unlisted, private.",
                    "/disabledAt This is not known here.",
                ])
            let null = try expectProblem(
                rob.send("PATCH", "/me", #"{"bio": null, "username": ["x"]}"#), 422)
            #expect(
                memberErrors(null) == [
                    "/username This must be a string, not an array.",
                    "/bio This must not be null; leave it out instead.",
                ])
            for (name, status) in [("ada", 409), ("Ada", 409), ("settings", 422)] {
                try expectProblem(
                    rob.send("PATCH", "/me", #"{"username": "\#(name)", "bio": "x"}"#), status)
            }
            let long = String(repeating: "x", count: 301)
            try expectProblem(rob.send("PATCH", "/me", #"{"bio": "\#(long)"}"#), 422)
            try expectProblem(rob.send("PATCH", "/me", "[]"), 422)
            try expectProblem(rob.send("PATCH", "/me", "{"), 400)
            #expect(try rob.server.contents() == before)
        }
    }

    @Test("is deleted only with the name and the password that confirm it")
    func delete() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try Client(server)
            let eve = try Client(server, "eve")
            let password = #"{"password": "\#(Browser.password)"}"#
            let before = try server.contents()
            for query in ["", "?username=", "?username=eve"] {
                try expectProblem(
                    rob.send("DELETE", "/me\(query)", password), 400, "?username=rob")
            }
            try expectProblem(rob.send("DELETE", "/me?username=rob"), 403, "Wrong password")
            try expectProblem(
                rob.send("DELETE", "/me?username=rob", #"{"password": "wrong"}"#), 403)
            try expectProblem(rob.send("DELETE", "/me?username=rob", #"{"pass": "x"}"#), 422)
            #expect(try server.contents() == before)
            #expect(try rob.send("DELETE", "/me?username=Rob", password).status == 204)
            #expect(try !rob.isSignedIn)
            try expectProblem(rob.refreshed(), 401)
            try expectProblem(server.send("GET", "/api/v1/users/rob"), 404)
            #expect(try server.count("users") == 1)
            #expect(try eve.isSignedIn)
            // Whoever has no password confirms by the name alone.
            let ada = try await server.makeUser("ada")
            #expect(
                try server.send("DELETE", "/api/v1/me?username=ada", token: ada).status == 204)
            #expect(try server.send("GET", "/api/v1/me", token: ada).status == 401)
        }
    }

    @Test("is exported as at the settings")
    func export() async throws {
        try await TestServer.run(.migrated) { server in
            let rob = try Client(server)
            _ = try Client(server, "eve")
            let file = try rob.send("GET", "/me/export")
            #expect(file.status == 200)
            #expect(
                file["content-disposition"] == "attachment; filename=\"fave-games-rob.json\"")
            let sessions = try file.object.objects("sessions")
            #expect(sessions.map { $0.string("kind") } == ["api"])
            #expect(!file.text.contains("eve"))
            #expect(!file.text.contains("scrypt"))
        }
    }

    @Test("has no hand in another's entries")
    func foreignEntries() async throws {
        try await Person.with { rob in
            try rob.put([(71, 6), (120, 48)])
            let eve = Person(server: rob.server, token: try await rob.server.makeUser("eve"))
            try eve.put([(117, 48)])
            let id = try #require(try rob.ids().first)
            let before = try rob.server.contents()
            for id in [id, id.uppercased()] {
                let path = "/me/list/entries/\(id)"
                for json in ["{}", #"{"comment": "Evil"}"#, #"{"position": 1}"#] {
                    try expectProblem(eve.send("PATCH", path, json), 404)
                }
                try expectProblem(
                    eve.send("PATCH", path, #"{"gameId": 72, "platformId": 130}"#), 404)
                try expectProblem(eve.send("DELETE", path), 404)
            }
            #expect(try rob.server.contents() == before)
            // An entry is not named by its id when a list is replaced or added to: it is ignored.
            let entry = #"{"id": "\#(id)", "gameId": 73, "platformId": 9}"#
            let put = try eve.send(
                "PUT", "/me/list", #"{"entries": [\#(entry)]}"#, fields: [("If-Match", "*")])
            #expect(put.status == 200)
            #expect(try !eve.ids().contains(id))
            let other = #"{"id": "\#(id)", "gameId": 72, "platformId": 130}"#
            #expect(try eve.send("POST", "/me/list/entries", other).status == 201)
            #expect(try !eve.ids().contains(id))
            #expect(try rob.ids().first == id)
            #expect(try rob.games() == [71, 120])
            // The same pick as another's is an entry of one's own.
            try eve.put([(71, 6)])
            #expect(try eve.ids() != [id])
            #expect(try rob.ids().first == id)
        }
    }
}

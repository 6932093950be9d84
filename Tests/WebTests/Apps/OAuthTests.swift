import Foundation
import StorageWrites
import TestSupport
import Testing

@testable import Web

@Suite("An app that someone lets in", .blocking)
struct OAuthTests {
    @Test("says who it is, does what it was allowed, and ends when it is ended")
    func journey() async throws {
        try await OAuthApp.run { app in
            let page = try app.rob.get(app.target())
            for words in [
                "Let <bdi>Shelf</bdi> in?", "<bdi>@rob</bdi>", "<b>Read</b>", "<bdi>@ada</bdi>",
                "<b>Change your list</b>", "<bdi>https://shelf.example</bdi>",
            ] { #expect(page.text.contains(words), "\(words)") }
            #expect(!page.text.contains("Manage your account"))
            #expect(page["cache-control"] == "no-store")
            #expect(page["content-security-policy"]?.contains("frame-ancestors 'none'") == true)

            let back = try app.decide()
            #expect(back["state"] == "a b&c=1")
            #expect(back["iss"] == "https://fave.example")
            #expect(back["from"] == "fave")
            let response = try app.exchange(try #require(back["code"]))
            #expect(response["cache-control"] == "no-store")
            #expect(response["access-control-allow-origin"] == "*")
            #expect(try response.object.string("token_type") == "Bearer")
            #expect(try response.object.string("scope") == "read list:write")
            let tokens = try app.tokens(response)
            #expect(try app.works(tokens))

            let put = try app.server.send(
                "PUT", "/api/v1/me/list", token: tokens.access, fields: [("If-Match", "*")],
                json: #"{"entries": []}"#)
            #expect(put.status == 200)
            let settings = try app.rob.get("/settings").text
            #expect(settings.contains("<bdi>Shelf</bdi>"))
            #expect(settings.contains("App that may: Read, Change your list"))
            let export = try app.rob.get("/settings/export").text
            #expect(export.contains(#""app":"Shelf""#) || export.contains(#""app": "Shelf""#))

            let action = try #require(
                settings.firstMatch(
                    of: /Shelf<\/bdi>[\s\S]*?action="(\/settings\/sessions\/[^"]*)"/))
            try app.rob.post(String(action.1))
            #expect(try !app.works(tokens))
            #expect(try app.refresh(tokens.refresh).status == 400)
            #expect(try app.rob.isSignedIn)
        }
    }

    @Test("does nothing that it wasn't allowed, and nothing that takes the password")
    func scopes() async throws {
        try await OAuthApp.run { app in
            let reader = try app.tokens("read")
            let all = try app.tokens("read list:write account")
            let password = #"{"password": "tulip staple 42"}"#
            for (token, method, path, json) in [
                (reader, "PUT", "/api/v1/me/list", #"{"entries": []}"#),
                (reader, "PATCH", "/api/v1/me", #"{"bio": "x"}"#),
                (reader, "DELETE", "/api/v1/me/sessions", "{}"),
                (all, "DELETE", "/api/v1/me", password),
                (all, "POST", "/api/v1/me/following/feed", "{}"),
                (
                    all, "POST", "/api/v1/me/tokens",
                    #"{"name": "x", "scopes": ["read"], "password": "tulip staple 42"}"#
                ),
                (
                    all, "PUT", "/api/v1/me/password",
                    #"{"currentPassword": "tulip staple 42", "newPassword": "tulip staple 43"}"#
                ),
                (
                    all, "PUT", "/api/v1/me/mail-address",
                    #"{"address": "a@b.example", "password": "tulip staple 42"}"#
                ),
            ] {
                let response = try app.server.send(
                    method, path, token: token.access, fields: [("If-Match", "*")], json: json)
                #expect(response.status == 403, "\(path) \(response.text)")
                #expect(response["www-authenticate"]?.contains("insufficient_scope") == true)
            }
            let list = try app.server.send("GET", "/api/v1/me/list", token: reader.access)
            #expect(list.status == 200)
            let writer = try app.tokens("list:write")
            let own = try app.server.send("GET", "/api/v1/me/list", token: writer.access)
            #expect(own.status == 403)
            // Pages know cookies, and no tokens.
            let page = try app.server.send("GET", "/settings/apps", token: all.access)
            #expect(page.status == 303)
            // More than was allowed is never given.
            let more = try app.refresh(reader.refresh, ["scope": "read account"])
            #expect(try more.object.string("scope") == "read")
            let patch = try app.server.send(
                "PATCH", "/api/v1/me", token: app.tokens(more).access, json: #"{"bio": "x"}"#)
            #expect(patch.status == 403)
        }
    }

    @Test("is asked for by someone who signs in first, in whatever way")
    func signingIn() async throws {
        try await OAuthApp.run { app in
            let guest = Browser(app.server)
            let sent = try guest.get(app.target())
            #expect(sent.status == 303)
            let location = try #require(sent["location"])
            #expect(location.hasPrefix("/sign-in?return=%2Foauth%2Fauthorize"))
            #expect(try guest.get(location).status == 200)
            let returnPath = try #require(
                URLComponents(string: location)?.queryItems?.first?.value)
            #expect(returnPath == app.target())
            let signedIn = try guest.post(
                "/sign-in",
                ["username": "rob", "password": Browser.password, "return": returnPath])
            #expect(signedIn["location"] == app.target())
            #expect(try app.decide(by: guest)["code"] != nil)
            // Someone who is new.
            let ann = Browser(app.server)
            try ann.get("/sign-up")
            let signedUp = try ann.post(
                "/sign-up",
                ["username": "ann", "password": Browser.password, "return": returnPath])
            #expect(signedUp["location"] == app.target())
        }
    }

    @Test("learns that someone said no")
    func refusal() async throws {
        try await OAuthApp.run { app in
            let back = try app.decide("deny")
            #expect(back["error"] == "access_denied")
            #expect(back["state"] == "a b&c=1")
            #expect(back["iss"] == "https://fave.example")
            #expect(back["code"] == nil)
            #expect(try app.server.count("sessions WHERE app_id IS NOT NULL") == 0)
        }
    }

    @Test("on someone's own machine has any port, and no other address")
    func loopback() async throws {
        try await OAuthApp.run { app in
            let port = "http://127.0.0.1:53123/callback"
            let page = try app.rob.get(app.target(["redirect_uri": port]))
            #expect(page.text.contains("<bdi>http://127.0.0.1:53123</bdi>"))
            for other in [
                "http://127.0.0.1:53123/callback/", "http://localhost:53123/callback",
                "https://127.0.0.1:53123/callback", "http://[::1]:53123/callback",
                "http://127.0.0.2/callback", "http://127.0.0.1:99999/callback",
            ] {
                #expect(
                    try app.rob.get(app.target(["redirect_uri": other])).status == 400, "\(other)")
            }
        }
    }

    @Test("ends with the password, the recovery, the app, or the account", arguments: 0..<6)
    func endings(way: Int) async throws {
        try await OAuthApp.run { app in
            let tokens = try app.tokens()
            let waiting = try app.code()
            switch way {
            case 0:
                try app.rob.get("/settings")
                try app.rob.post(
                    "/settings/password",
                    ["currentPassword": Browser.password, "newPassword": "tulip staple 43"])
            case 1:
                try app.rob.get("/settings")
                try app.rob.post("/settings/sign-out-everywhere")
            case 2:
                try app.rob.get("/settings")
                try app.rob.post(
                    "/settings/delete", ["username": "rob", "password": Browser.password])
            case 3:
                let ada = Browser(app.server)
                try ada.signIn("ada")
                try ada.get("/settings/apps")
                try ada.post("/settings/apps/\(app.id)/remove")
            case 4:
                try app.rob.get("/settings")
                let codes = try app.rob.post(
                    "/settings/recovery-codes", ["password": Browser.password])
                let code = try #require(
                    codes.text.firstMatch(
                        of: /^[0-9a-z]{4}(?:-[0-9a-z]{4}){3}$/.anchorsMatchLineEndings()))
                let recovered = try app.server.send(
                    "POST", "/api/v1/recovery",
                    json: """
                        {"username": "rob", "code": "\(code.0)", "newPassword": "tulip staple 43"}
                        """)
                #expect([200, 201, 204].contains(recovered.status), "\(recovered.text)")
            default:
                let ada = Browser(app.server)
                try ada.signIn("ada")
                try ada.get("/settings")
                try ada.post(
                    "/settings/delete", ["username": "ada", "password": Browser.password])
            }
            #expect(try app.server.count("sessions WHERE app_id IS NOT NULL") == 0)
            #expect(try !app.works(tokens))
            for response in [try app.refresh(tokens.refresh), try app.exchange(waiting)] {
                #expect(response.status == 400)
                #expect(try response.object.string("error") == "invalid_grant")
            }
        }
    }

    @Test("of someone who is suspended does nothing, and one of a suspended person asks nobody")
    func disabled() async throws {
        try await OAuthApp.run { app in
            let tokens = try app.tokens()
            let code = try app.code()
            let session = try app.server.database.session()
            try session.execute("UPDATE users SET disabled_at = now() WHERE username = 'rob'")
            #expect(try !app.works(tokens))
            #expect(try app.refresh(tokens.refresh).status == 400)
            #expect(try app.exchange(code).status == 400)
            try session.execute(
                """
                UPDATE users SET disabled_at = CASE username WHEN 'ada' THEN now() END
                """)
            #expect(try app.rob.get(app.target()).status == 400)
        }
    }

    @Test("that forgets its tokens ends its own sessions, and no others")
    func forgetful() async throws {
        try await OAuthApp.run { app in
            let first = try app.tokens()
            for _ in 0..<12 { _ = try app.code(["scope": ""]) }
            #expect(try app.server.count("sessions WHERE app_id IS NOT NULL") == 10)
            #expect(try !app.works(first))
            #expect(try app.rob.isSignedIn)
            #expect(try app.server.count("sessions WHERE scopes = '{read}'") == 10)
        }
    }

    @Test("ends for everyone when the person who registered it is disabled")
    func disabledOwner() async throws {
        try await OAuthApp.run { app in
            let tokens = try app.tokens()
            let ada: UUID = try app.server.database.session().query(
                "SELECT id FROM users WHERE username = 'ada'")[0][0]
            try await withStore(app.server.database) { store async throws in
                #expect(try await store.setDisabled(true, userID: ada))
            }
            #expect(try !app.works(tokens))
            #expect(try app.refresh(tokens.refresh).status == 400)
            #expect(try app.rob.isSignedIn)
        }
    }

    @Test("revokes its own tokens, and nobody else's")
    func revocation() async throws {
        try await OAuthApp.run { app in
            let ada = Browser(app.server)
            try ada.signIn("ada")
            let other = try OAuthApp.register("Other", by: ada, [OAuthApp.redirect])
            for isAccess in [true, false] {
                let tokens = try app.tokens()
                let token = isAccess ? tokens.access : tokens.refresh
                for (client, works) in [(other, true), (app.id, false), (app.id, false)] {
                    let response = try app.post(
                        "/oauth/revoke", ["client_id": client, "token": token])
                    #expect(response.status == 200)
                    #expect(response["access-control-allow-origin"] == "*")
                    #expect(try app.works(tokens) == works)
                }
                #expect(try app.refresh(tokens.refresh).status == 400)
            }
            // Someone's own session is no app's.
            let own = try app.server.send(
                "POST", "/api/v1/sessions",
                json: #"{"username": "rob", "password": "tulip staple 42"}"#
            ).object
            for name in ["accessToken", "refreshToken"] {
                try app.post("/oauth/revoke", ["client_id": app.id, "token": own.string(name)])
            }
            let me = try app.server.send("GET", "/api/v1/me", token: own.string("accessToken"))
            #expect(me.status == 200)
            #expect(try app.post("/oauth/revoke", ["client_id": app.id]).status == 400)
            #expect(
                try app.post("/oauth/revoke", ["client_id": app.id, "token": "x"]).status == 200)
        }
    }

    @Test("finds everything by the metadata, which names only what is safe")
    func metadata() async throws {
        let response = try await World.shared.get("/.well-known/oauth-authorization-server")
        #expect(response.status == 200)
        #expect(response["content-type"] == "application/json")
        #expect(response["access-control-allow-origin"] == "*")
        let object = try response.object
        #expect(object.string("issuer") == "https://fave.example")
        #expect(object.string("token_endpoint") == "https://fave.example/oauth/token")
        for (name, value) in [
            ("response_types_supported", "code"), ("code_challenge_methods_supported", "S256"),
            ("token_endpoint_auth_methods_supported", "none"),
        ] { #expect(object[name] as? [String] == [value], "\(name)") }
        #expect(object["authorization_response_iss_parameter_supported"] as? Bool == true)
    }

    @Test("is registered within bounds, and seen by nobody else")
    func registering() async throws {
        try await TestServer.run(.migrated) { server in
            let ada = try server.browser("ada")
            for redirects in [
                [], ["https://shelf.example/#x"], ["http://shelf.example/"],
                ["javascript:alert(1)"],
                ["https://rob@shelf.example/"], ["app.example:/x"], ["https://SHELF.example/"],
                ["https://shelf.example:443/"], ["https://shelf.example\\@evil.example/"],
                (0..<6).map { "https://shelf.example/\($0)" },
                ["https://shelf.example/\(String(repeating: "x", count: 300))"],
            ] {
                #expect(throws: TestFailure.self, "\(redirects)") {
                    try OAuthApp.register("x", by: ada, redirects)
                }
            }
            var ids: [String] = []
            for number in 0..<10 {
                ids.append(try OAuthApp.register("App \(number)", by: ada, [OAuthApp.redirect]))
            }
            #expect(throws: TestFailure.self) {
                try OAuthApp.register("x", by: ada, [OAuthApp.redirect])
            }
            let rob = try server.browser("rob")
            #expect(try !rob.get("/settings/apps").text.contains("App 1"))
            try rob.post("/settings/apps/\(ids[0])/remove")
            #expect(try server.count("apps") == 10)
            try ada.get("/settings/apps")
            try ada.post("/settings/apps/\(ids[0])/remove")
            #expect(try server.count("apps") == 9)
        }
    }
}

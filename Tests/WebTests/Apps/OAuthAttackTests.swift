import Foundation
import TestSupport
import Testing

@testable import Web

/// What RFC 9700 says that attackers try.
@Suite("An attack on an app that someone lets in", .blocking)
struct OAuthAttackTests {
    private func expectInvalidGrant(
        _ response: RawResponse, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(response.status == 400, sourceLocation: sourceLocation)
        #expect(response["cache-control"] == "no-store", sourceLocation: sourceLocation)
        #expect(
            try response.object.string("error") == "invalid_grant", sourceLocation: sourceLocation)
    }

    @Test("with another address, or another app, never leads away from the site")
    func redirects() async throws {
        try await OAuthApp.run { app in
            let redirect = OAuthApp.redirect
            for other in [
                "https://evil.example/", redirect + "&x=1", redirect + "#", redirect + "#x",
                redirect + "/", String(redirect.dropLast()), redirect.uppercased(),
                "https://SHELF.example/signed-in?from=fave", "http" + redirect.dropFirst(5),
                "https://shelf.example:443/signed-in?from=fave",
                "https://shelf.example:8443/signed-in?from=fave",
                "https://rob@shelf.example/signed-in?from=fave",
                "https://shelf.example@evil.example/signed-in?from=fave",
                "https://shelf.example.evil.example/signed-in?from=fave",
                "https://evil.example\\@shelf.example/signed-in?from=fave",
                "https://shelf.example/x/../signed-in?from=fave",
                "https://shelf.example/signed%2Din?from=fave", " " + redirect,
                redirect + "\r\nX: 1",
                "//shelf.example/signed-in?from=fave", "/settings", "javascript:alert(1)", "",
            ] {
                for browser in [app.rob, Browser(app.server)] {
                    let page = try browser.get(app.target(["redirect_uri": other]))
                    #expect(page.status == 400, "\(other)")
                    #expect(page["location"] == nil)
                    #expect(!page.text.contains("http-equiv=\"refresh\""))
                }
            }
            for changes: [String: String?] in [
                ["redirect_uri": nil], ["client_id": nil], ["client_id": "x"],
                ["client_id": "00000000-0000-4000-8000-000000000000"],
            ] {
                let page = try app.rob.get(app.target(changes))
                #expect(page.status == 400)
                #expect(page["location"] == nil)
            }
            let twice = try app.rob.get(app.target() + "&redirect_uri=https%3A%2F%2Fevil.example")
            #expect(twice.status == 400)
            // What is sent with the form is checked again.
            try app.rob.get(app.target())
            let posted = try app.rob.post(
                app.target(["redirect_uri": "https://evil.example/"]), ["decision": "allow"])
            #expect(posted.status == 400)
            #expect(try app.server.count("sessions WHERE app_id IS NOT NULL") == 0)
        }
    }

    @Test(
        "with a weaker request is refused at the app's own address",
        arguments: [
            ("response_type", "token", "unsupported_response_type"),
            ("response_type", nil, "invalid_request"),
            ("response_type", "code token", "unsupported_response_type"),
            ("code_challenge", nil, "invalid_request"),
            ("code_challenge", OAuthApp.verifier + "x", "invalid_request"),
            ("code_challenge_method", "plain", "invalid_request"),
            ("code_challenge_method", nil, "invalid_request"),
            ("code_challenge_method", "s256", "invalid_request"),
            ("scope", "read admin", "invalid_scope"), ("scope", " ", "invalid_scope"),
            ("state", String(repeating: "x", count: 501), "invalid_request"),
            ("state", "é", "invalid_request"),
        ])
    func weaker(name: String, value: String?, error: String) async throws {
        try await OAuthApp.run { app in
            // A stranger's link leads nobody away who isn't signed in.
            let sent = try Browser(app.server).get(app.target([name: value]))
            #expect(sent.status == 303)
            #expect(sent["location"]?.hasPrefix("/sign-in") == true)
            let back = try app.parameters(of: app.rob.get(app.target([name: value])))
            #expect(back["error"] == error)
            #expect(back["state"] == (name == "state" ? nil : "a b&c=1"))
            // Whose response it is, against a mix-up with another server.
            #expect(back["iss"] == "https://fave.example")
            #expect(back["code"] == nil)
        }
    }

    @Test("with a form of another site, or none, lets nobody in")
    func forgedConsent() async throws {
        try await OAuthApp.run { app in
            let eve = try app.server.browser("eve")
            try eve.get(app.target())
            let foreign = try #require(eve.token)
            try app.rob.get(app.target())
            let own = try #require(app.rob.token)
            let ours = [("Origin", Browser.origin), ("Sec-Fetch-Site", "same-origin")]
            for (token, fields) in [
                ("", ours), ("x", ours), (foreign, ours), (own, []),
                (own, [("Origin", "https://shelf.example")]),
                (own, [("Origin", Browser.origin), ("Sec-Fetch-Site", "cross-site")]),
                (own, [("Origin", "null")]),
            ] {
                let response = try app.rob.post(
                    app.target(), ["decision": "allow", "token": token], fields: fields)
                #expect(response.status == 403)
                #expect(!response.text.contains("http-equiv=\"refresh\""))
            }
            // A link alone lets nobody in, and no page of another site may show ours.
            let page = try app.rob.get(app.target() + "&decision=allow")
            #expect(page["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
            #expect(try app.server.count("sessions WHERE app_id IS NOT NULL") == 0)
        }
    }

    @Test("with a code and something else gets nothing, and ends the code")
    func otherProof() async throws {
        try await OAuthApp.run { app in
            let ada = Browser(app.server)
            try ada.signIn("ada")
            let other = try OAuthApp.register("Other", by: ada, [OAuthApp.redirect])
            for changes: [String: String?] in [
                ["code_verifier": String(repeating: "a", count: 43)],
                // As with the method "plain".
                ["code_verifier": OAuthApp.challenge], ["client_id": other],
                ["redirect_uri": OAuthApp.loopback],
                ["redirect_uri": "https://shelf.example/signed-in"],
            ] {
                let code = try app.code()
                try expectInvalidGrant(app.exchange(code, changes))
                try expectInvalidGrant(app.exchange(code))
            }
            for changes: [String: String?] in [
                ["code_verifier": nil], ["redirect_uri": nil], ["grant_type": nil],
                ["code": nil],
            ] {
                let response = try app.exchange(app.code(), changes)
                #expect(try response.object.string("error") == "invalid_request")
            }
            try expectInvalidGrant(app.exchange("x"))
            try expectInvalidGrant(app.exchange(app.code(), ["code_verifier": "short"]))
            let client = try app.exchange(app.code(), ["client_id": "x"])
            #expect(try client.object.string("error") == "invalid_client")
            let password = try app.post(
                "/oauth/token",
                ["grant_type": "password", "client_id": app.id, "username": "rob"])
            #expect(try password.object.string("error") == "unsupported_grant_type")
        }
    }

    @Test("with a code that was used ends what came of it")
    func replay() async throws {
        try await OAuthApp.run { app in
            for asRefresh in [false, true] {
                let code = try app.code()
                let tokens = try app.tokens(app.exchange(code))
                #expect(try app.works(tokens))
                try expectInvalidGrant(asRefresh ? app.refresh(code) : app.exchange(code))
                #expect(try !app.works(tokens))
                try expectInvalidGrant(app.refresh(tokens.refresh))
            }
            // A code is no refresh token, not even before it is used.
            let code = try app.code()
            try expectInvalidGrant(app.refresh(code))
            try expectInvalidGrant(app.exchange(code))
            let json = #"{"refreshToken": "\#(try app.code())"}"#
            let own = try app.server.send("POST", "/api/v1/sessions/refresh", json: json)
            #expect(own.status == 401)
        }
    }

    @Test("with many exchanges at once gets at most one")
    func race() async throws {
        try await OAuthApp.run { app in
            let body = OAuthApp.form([
                "grant_type": "authorization_code", "code": try app.code(), "client_id": app.id,
                "redirect_uri": OAuthApp.redirect, "code_verifier": OAuthApp.verifier,
            ])
            let connections = try (0..<8).map { _ in try RawConnection(port: app.server.port) }
            for connection in connections {
                try connection.send(
                    "POST /oauth/token HTTP/1.1\r\nHost: fave.example\r\n"
                        + "Content-Type: application/x-www-form-urlencoded\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
            }
            let responses = try connections.map { try $0.readResponse() }
            #expect(responses.count { $0.status == 200 } == 1)
            #expect(responses.count { $0.status == 400 } == 7)
            #expect(try app.server.count("sessions WHERE app_id IS NOT NULL") == 0)
        }
    }

    @Test("with a code that is too old gets nothing")
    func expired() async throws {
        try await OAuthApp.run { app in
            let code = try app.code()
            let session = try app.server.database.session()
            let inTime: Bool = try session.query(
                """
                SELECT bool_and(expires_at BETWEEN now() AND now() + interval '60 seconds')
                FROM sessions WHERE app_id IS NOT NULL
                """)[0][0]
            #expect(inTime)
            try session.execute(
                "UPDATE sessions SET expires_at = now() WHERE app_id IS NOT NULL")
            try expectInvalidGrant(app.exchange(code))
        }
    }

    @Test("with a refresh token that was used ends the session, as does another app's")
    func refreshReplay() async throws {
        try await OAuthApp.run { app in
            let first = try app.tokens()
            let second = try app.tokens(app.refresh(first.refresh))
            // In case the response was lost.
            #expect(try app.tokens(app.refresh(first.refresh)).refresh == second.refresh)
            let third = try app.tokens(app.refresh(second.refresh))
            try expectInvalidGrant(app.refresh(first.refresh))
            #expect(try !app.works(third))
            try expectInvalidGrant(app.refresh(third.refresh))

            let ada = Browser(app.server)
            try ada.signIn("ada")
            let other = try OAuthApp.register("Other", by: ada, [OAuthApp.redirect])
            let stolen = try app.tokens()
            try expectInvalidGrant(app.refresh(stolen.refresh, ["client_id": other]))
            #expect(try !app.works(stolen))
            // No way from what was allowed to everything.
            let tokens = try app.tokens()
            let json = #"{"refreshToken": "\#(tokens.refresh)"}"#
            let own = try app.server.send("POST", "/api/v1/sessions/refresh", json: json)
            #expect(own.status == 401)
            let user = try app.server.send(
                "POST", "/api/v1/sessions",
                json: #"{"username": "rob", "password": "tulip staple 42"}"#
            ).object
            try expectInvalidGrant(app.refresh(user.string("refreshToken") ?? ""))
        }
    }

    @Test("is told what is wrong in the words of OAuth")
    func errors() async throws {
        try await OAuthApp.run(settings: ["API_WRITES_PER_MINUTE": "30"]) { app in
            let json = try app.server.send("POST", "/oauth/token", json: "{}")
            #expect(json.status == 415)
            #expect(try json.object.string("error") == "invalid_request")
            let twice = try app.server.send(
                "POST", "/oauth/token", json: "client_id=\(app.id)&client_id=\(app.id)",
                type: "application/x-www-form-urlencoded")
            #expect(try twice.object.string("error") == "invalid_request")
            let get = try app.server.send("GET", "/oauth/token")
            #expect(get.status == 405)
            #expect(try get.object.string("error") == "invalid_request")
            var last = try app.exchange("x")
            for _ in 0..<60 where last.status == 400 { last = try app.exchange("x") }
            #expect(last.status == 429)
            #expect(try last.object.string("error") == "temporarily_unavailable")
            #expect(last["retry-after"] != nil)
            #expect(last["access-control-allow-origin"] == "*")
        }
    }
}

import Crypto
import Foundation
import HTTP
import HTTPTypes
import TestSupport
import Testing

@testable import Identity

@Suite("A provider that lies", .blocking)
struct EvilProviderTests {
    private func users(_ server: TestServer) throws -> Int {
        try server.database.session().query("SELECT count(*) FROM users")[0][0]
    }

    /// Checks that nobody was let in, and that a page says why.
    private func expectRefused(
        _ response: RawResponse, _ status: Int, _ server: TestServer, _ name: String = "",
        at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(response.status == status, "\(name) \(response.text)", sourceLocation: location)
        #expect(response["content-type"] == "text/html; charset=utf-8", sourceLocation: location)
        #expect(response.text.contains("role=\"alert\""), sourceLocation: location)
        let cookies = response.fields.filter { $0.name.lowercased() == "set-cookie" }.map(\.value)
        #expect(
            !cookies.contains { $0.hasPrefix(Browser.sessionCookie) }, "\(name)",
            sourceLocation: location)
        #expect(
            cookies.contains { $0.hasPrefix("__Host-sign-in=;") }, "the attempt is over",
            sourceLocation: location)
        #expect(try users(server) == 0, "\(name)", sourceLocation: location)
    }

    @Test("is believed while it does not")
    func control() async throws {
        try await EvilProvider.with { provider, server in
            let attempt = try Attempt(server)
            #expect(attempt.query["client_id"] == "fave")
            #expect(attempt.query["response_type"] == "code")
            #expect(attempt.query["code_challenge_method"] == "S256")
            #expect(
                attempt.query["redirect_uri"]
                    == "https://fave.example/sign-in/with/oidc/callback")
            let token = try provider.idToken(attempt)
            provider.set { $0.idToken = token }
            let response = try attempt.finish("&iss=" + provider.issuer)
            #expect(response.status == 303, "\(response.text)")
            #expect(response["location"] == "/@mallory")
            #expect(try attempt.browser.isSignedIn)

            // What the token endpoint was asked.
            let request = try #require(provider.requests("/token").first)
            #expect(request.method == .post)
            let secret = Data("fave:s3cret".utf8).base64EncodedString()
            #expect(request.headerFields[.authorization] == "Basic \(secret)")
            let form = try FormItems(parsing: request.body)
            #expect(form["code"] == "code")
            #expect(form["client_secret"] == nil)
            let verifier = try #require(form["code_verifier"])
            #expect(
                Data(SHA256.hash(data: Data(verifier.utf8))).base64URL
                    == attempt.query["code_challenge"])
            #expect(verifier != attempt.state && verifier != attempt.nonce)
            #expect(attempt.state != attempt.nonce)
        }
    }

    @Test("is told our secret in the way that it asks for, and none if we have none")
    func authentication() async throws {
        let cases = [
            (["client_secret_post"], "s3cret"), (["none"], ""),
        ]
        for (methods, secret) in cases {
            let settings = ["OIDC_CLIENT_SECRET": secret]
            try await EvilProvider.with(settings: settings) { provider, server in
                provider.set {
                    $0.metadata = { _ in ["token_endpoint_auth_methods_supported": methods] }
                }
                let attempt = try Attempt(server)
                let token = try provider.idToken(attempt)
                provider.set { $0.idToken = token }
                #expect(try attempt.finish().status == 303)
                let request = try #require(provider.requests("/token").first)
                #expect(request.headerFields[.authorization] == nil)
                let form = try FormItems(parsing: request.body)
                #expect(form["client_id"] == "fave")
                #expect(form["client_secret"] == (secret.isEmpty ? nil : secret))
            }
        }
    }

    private static let wrongClaims: [(name: String, claims: @Sendable (Double) -> [String: Any])] =
        [
            ("another attempt's nonce", { _ in ["nonce": "other"] }),
            ("no nonce", { _ in ["nonce": NSNull()] }),
            ("an empty nonce", { _ in ["nonce": ""] }),
            ("another audience", { _ in ["aud": "other"] }),
            ("no audience", { _ in ["aud": [String]()] }),
            ("an audience without us", { _ in ["aud": ["a", "b"]] }),
            ("another issuer", { _ in ["iss": "https://accounts.example"] }),
            ("our own name", { _ in ["iss": "fave-games", "aud": "fave-games"] }),
            ("an expiry in the past", { ["exp": $0 - 90] }),
            ("no expiry", { _ in ["exp": NSNull()] }),
            ("an expiry that is no number", { _ in ["exp": "never"] }),
            ("a time to come", { ["iat": $0 + 600] }),
            ("a beginning to come", { ["nbf": $0 + 600] }),
            ("another authorized party", { _ in ["azp": "other"] }),
            ("two audiences and no party", { _ in ["aud": ["fave", "other"]] }),
            (
                "two audiences and another party",
                { _ in ["aud": ["fave", "other"], "azp": "other"] }
            ),
            ("no subject", { _ in ["sub": NSNull()] }),
            ("an empty subject", { _ in ["sub": ""] }),
            ("a subject with a zero", { _ in ["sub": "a\u{0}b"] }),
            ("too long a subject", { _ in ["sub": String(repeating: "x", count: 256)] }),
            ("a subject that is no text", { _ in ["sub": 5] }),
        ]

    @Test("in the claims of an ID token is refused")
    func claims() async throws {
        try await EvilProvider.with { provider, server in
            for (name, claims) in Self.wrongClaims {
                let attempt = try Attempt(server)
                let wrong = claims(Date().timeIntervalSince1970.rounded())
                let token = try provider.idToken(attempt, claims: wrong)
                provider.set { $0.idToken = token }
                try expectRefused(attempt.finish(), 502, server, name)
            }
            #expect(provider.requests("/token").count == Self.wrongClaims.count)
        }
    }

    @Test("about who signed an ID token is refused")
    func signatures() async throws {
        let rsa = try await TestKey.rsa("rsa")
        let secret = SymmetricKey(size: .bits256)
        // As if the provider published the secret that it signs with.
        let shared = TestKey(
            algorithm: "HS256",
            jwk: [
                "kty": "oct", "kid": "shared", "alg": "HS256",
                "k": secret.withUnsafeBytes { Data($0) }.base64URL,
            ], pem: ""
        ) { Data(HMAC<SHA256>.authenticationCode(for: $0, using: secret)) }
        try await EvilProvider.with { provider, server in
            provider.set { $0.keys = [provider.key, rsa, shared, .ed25519("second")] }
            let other = TestKey.ed25519("good")
            /// Signs with a public key, as if it were a secret.
            func confused(_ text: String) -> TestKey {
                let secret = SymmetricKey(data: Data(text.utf8))
                return TestKey(algorithm: "HS256", jwk: ["kid": "rsa"], pem: "") {
                    Data(HMAC<SHA256>.authenticationCode(for: $0, using: secret))
                }
            }
            let modulus = try #require(rsa.jwk["n"])
            let tries: [(String, TestKey?, [String: Any])] = [
                ("another key of the same name", other, [:]),
                ("no algorithm", nil, ["alg": "none"]),
                ("no algorithm, in capitals", nil, ["alg": "NONE"]),
                ("an RSA key as a secret", confused(rsa.pem), [:]),
                ("a modulus as a secret", confused(modulus), [:]),
                ("an RSA key as a secret, for RS256", confused(rsa.pem), ["alg": "RS256"]),
                ("an unknown key", other, ["kid": "unknown"]),
                ("an unknown key by a known signature", nil, ["kid": "unknown"]),
                ("the name of another key", nil, ["kid": "rsa"]),
                ("the name of another key and its algorithm", nil, ["kid": "rsa", "alg": "RS256"]),
                ("a key by a path", other, ["kid": "../../../../dev/null"]),
                ("a key by SQL", other, ["kid": "x' UNION SELECT 'x"]),
                ("a name that is no text", nil, ["kid": 5]),
                ("a key in the header", other, ["kid": "x", "jwk": other.jwk]),
                (
                    "a key set in the header", other,
                    ["kid": "x", "jku": provider.issuer + "/evil-keys"]
                ),
                ("a secret that is published", shared, [:]),
                ("no key, where several have the algorithm", nil, ["kid": NSNull()]),
                ("an extension", nil, ["crit": ["x"], "x": 1]),
                ("another type", nil, ["typ": "secevent+jwt"]),
            ]
            for (name, key, header) in tries {
                let attempt = try Attempt(server)
                let token = try provider.idToken(attempt, by: key, header: header)
                provider.set { $0.idToken = token }
                try expectRefused(attempt.finish(), 502, server, name)
            }
            #expect(provider.requests("/evil-keys").isEmpty)
            // Unsigned, or cut.
            let attempt = try Attempt(server)
            let good = try provider.idToken(attempt)
            let parts = good.split(separator: ".").map(String.init)
            for token in [
                parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1], "", "x", "..",
                good + ".x", String(good.dropLast(4)),
            ] {
                let attempt = try Attempt(server)
                provider.set { $0.idToken = token }
                try expectRefused(attempt.finish(), 502, server, token)
            }
            // The same provider, telling the truth again.
            let last = try Attempt(server)
            let token = try provider.idToken(last)
            provider.set { $0.idToken = token }
            #expect(try last.finish().status == 303)
        }
    }

    @Test("at its token endpoint lets nobody in")
    func tokenEndpoint() async throws {
        try await EvilProvider.with { provider, server in
            func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
                Response(status: status, body: Array(text.utf8))
            }
            let refusal = #"{"error": "invalid_grant", "error_description": "<script>"}"#
            let huge = #"{"id_token": ""# + String(repeating: "x", count: 1 << 19) + #""}"#
            let tries: [(Response, Int)] = [
                (text("", .internalServerError), 503), (text("", .badGateway), 503),
                (text(refusal, .badRequest), 400), (text("", .unauthorized), 400),
                (text("", .notFound), 400), (text(""), 502), (text("garbage"), 502),
                (text("[]"), 502), (text("{}"), 502), (text(#"{"id_token": 5}"#), 502),
                (text(#"{"id_token": null}"#), 502), (text(#"{"access_token": "x"}"#), 502),
                (text("", .created), 503), (text(huge), 503),
            ]
            for (response, status) in tries {
                let attempt = try Attempt(server)
                provider.set { $0.tokenResponse = response }
                let page = try attempt.finish()
                try expectRefused(page, status, server)
                #expect(!page.text.contains("<script>"))
                #expect(!page.text.contains("s3cret"))
                #expect((page["retry-after"] != nil) == (status == 503))
            }
        }
    }

    @Test("is not followed to another address with our secret")
    func redirects() async throws {
        try await EvilProvider.with { provider, server in
            for status in [301, 302, 303, 307, 308] {
                let attempt = try Attempt(server)
                let response = Response(
                    status: .init(code: status),
                    headerFields: [.location: provider.issuer + "/elsewhere"])
                provider.set { $0.tokenResponse = response }
                try expectRefused(attempt.finish(), 503, server)
            }
            #expect(provider.requests("/elsewhere").isEmpty)
        }
    }

    @Test("or is away when it is asked again lets nobody in, and nobody waits")
    func away() async throws {
        try await EvilProvider.with { provider, server in
            provider.set { $0.metadata = { _ in ["token_endpoint": "http://127.0.0.1:1/token"] } }
            try expectRefused(Attempt(server).finish(), 503, server)
        }
        for keys in ["http://127.0.0.1:1/keys", "/nowhere", "/token"] {
            try await EvilProvider.with { provider, server in
                provider.set {
                    $0.metadata = { issuer in
                        ["jwks_uri": keys.hasPrefix("http") ? keys : issuer + keys]
                    }
                }
                let attempt = try Attempt(server)
                let token = try provider.idToken(attempt)
                provider.set { $0.idToken = token }
                try expectRefused(attempt.finish(), 502, server, keys)
            }
        }
    }

    @Test("about whom an access token speaks for names nobody")
    func accessTokens() async throws {
        try await EvilProvider.with(settings: ["JWT_AUDIENCE": "api"]) { provider, server in
            let now = Date().timeIntervalSince1970.rounded()
            func token(_ claims: [String: Any] = [:]) throws -> String {
                let right: [String: Any] = [
                    "iss": provider.issuer, "aud": "api", "sub": "person-1", "iat": now,
                    "exp": now + 300, "preferred_username": "rob",
                ]
                return try provider.key.token(claims: right.merging(claims) { $1 })
            }
            func me(_ token: String) throws -> RawResponse {
                try server.send("GET", "/api/v1/me", token: token)
            }
            for claims in [
                ["nonce": "x"], ["at_hash": "x"], ["c_hash": "x"], ["typ": "ID"],
                ["aud": "fave"], ["iss": "fave-games"], ["sub": ""],
            ] {
                #expect(try me(token(claims)).status == 401, "\(claims)")
            }
            #expect(try users(server) == 0)
            let response = try me(token())
            #expect(response.status == 200)
            #expect(try response.object["username"] as? String == "player")
            #expect(provider.requests("/userinfo").isEmpty, "no name is asked for")
        }
    }

    @Test("about itself in its metadata is not asked any further")
    func metadata() async throws {
        let lies: [@Sendable (String) -> [String: Any]] = [
            { _ in ["issuer": "https://accounts.example"] }, { ["issuer": $0 + "/"] },
            { _ in ["issuer": NSNull()] }, { _ in ["authorization_endpoint": NSNull()] },
            { _ in ["authorization_endpoint": "javascript:alert(1)"] },
            { _ in ["token_endpoint": "file:///etc/passwd"] },
            { _ in ["jwks_uri": "file:///etc/passwd"] },
        ]
        for lie in lies {
            try await EvilProvider.with { provider, server in
                provider.set { $0.metadata = lie }
                let browser = Browser(server)
                let response = try browser.get("/sign-in/with/oidc")
                #expect(response.status == 503)
                #expect(response["location"] == nil)
                #expect(response["content-type"] == "text/html; charset=utf-8")
                #expect(response.text.contains("cannot be reached"))
                #expect(provider.requests("/token").isEmpty)
            }
        }
    }

    @Test("about someone else at its userinfo endpoint is not listened to")
    func userinfo() async throws {
        let tries: [(userinfo: String?, username: String)] = [
            (#"{"sub": "person-1", "preferred_username": "rob", "name": "Rob"}"#, "rob"),
            (#"{"sub": "person-2", "preferred_username": "rob", "name": "Rob"}"#, "player"),
            (#"{"preferred_username": "rob"}"#, "player"),
            (#"{"sub": ["person-1"], "preferred_username": "rob"}"#, "player"),
            ("garbage", "player"), (nil, "player"),
            (#"{"sub": "person-1", "preferred_username": "admin"}"#, "player"),
        ]
        for (userinfo, username) in tries {
            try await EvilProvider.with { provider, server in
                let attempt = try Attempt(server)
                let token = try provider.idToken(
                    attempt, claims: ["preferred_username": NSNull()])
                provider.set {
                    $0.idToken = token
                    $0.userinfo = userinfo
                }
                #expect(try attempt.finish()["location"] == "/@\(username)", "\(userinfo ?? "")")
                let request = try #require(provider.requests("/userinfo").first)
                #expect(request.headerFields[.authorization] == "Bearer access")
            }
        }
    }

    @Test("is not asked when the response is not to this browser's question")
    func callbacks() async throws {
        try await EvilProvider.with { provider, server in
            let attempt = try Attempt(server)
            let token = try provider.idToken(attempt)
            provider.set { $0.idToken = token }
            let path = "/sign-in/with/oidc/callback"
            let state = attempt.state
            let cookies = attempt.browser.cookies
            let other = try Attempt(server)
            for query in [
                "", "?code=x", "?state=\(state)", "?code=&state=\(state)", "?code=x&state=",
                "?code=x&state=\(other.state)", "?code=x&state=\(state)A",
                "?code=x&state=\(attempt.nonce)",
                "?code=x&state=\(state)&iss=https%3A%2F%2Faccounts.example",
                "?code=x&state=\(state)&iss=",
                "?code=\(String(repeating: "x", count: 4097))&state=\(state)",
                "?state=\(state)&error=access_denied", "?state=\(state)&error=server_error",
                "?code=x&state=\(state)&error=",
            ] {
                attempt.browser.cookies = cookies
                try expectRefused(attempt.browser.get(path + query), 400, server, query)
            }
            // Without the cookie, and with one that is made up or doubled.
            let value = try #require(cookies["__Host-sign-in"])
            for cookie in [
                "", "x", "..", String(value.dropFirst()), value + "; __Host-sign-in=" + value,
                try #require(other.browser.cookies["__Host-sign-in"]),
            ] {
                attempt.browser.cookies = ["__Host-sign-in": cookie]
                try expectRefused(attempt.finish(), 400, server, cookie)
            }
            #expect(provider.requests("/token").isEmpty)
            #expect(try other.browser.get("/sign-in/with/oidc-2").status == 404)
            #expect(try other.browser.get("/sign-in/with/oidc-2/callback").status == 404)
        }
    }

    @Test("for another provider, to which someone was not sent, is not listened to")
    func mixUp() async throws {
        try await EvilProvider.with { honest, _ in
            let settings = ["OIDC_2_ISSUER": honest.issuer, "OIDC_2_CLIENT_ID": "fave-2"]
            try await EvilProvider.with(settings: settings) { provider, server in
                // The provider that was asked leads to the other one, with all that it was sent.
                let attempt = try Attempt(server)
                let token = try honest.idToken(attempt, claims: ["aud": "fave-2"])
                honest.set { $0.idToken = token }
                let response = try attempt.browser.get(
                    "/sign-in/with/oidc-2/callback?code=x&state=\(attempt.state)")
                try expectRefused(response, 400, server)
                #expect(honest.requests("/token").isEmpty)
                #expect(provider.requests("/token").isEmpty)
                // Whoever begins with the other one is let in.
                let browser = Browser(server)
                let location = try browser.get("/sign-in/with/oidc-2")["location"] ?? ""
                let items = URLComponents(string: location)?.queryItems ?? []
                func item(_ name: String) -> String {
                    items.first { $0.name == name }?.value ?? ""
                }
                #expect(location.hasPrefix(honest.issuer + "/authorize?"))
                let right = try honest.idToken(
                    attempt, claims: ["aud": "fave-2", "nonce": item("nonce")])
                honest.set { $0.idToken = right }
                let callback = "/sign-in/with/oidc-2/callback?code=x&state=\(item("state"))"
                let back = try browser.chooseSuggestedName(after: browser.get(callback))
                #expect(back["location"] == "/@mallory")
            }
        }
    }

    @Test("in an error that it sends back is not repeated")
    func errors() async throws {
        try await EvilProvider.with { provider, server in
            for error in ["%3Cscript%3Ealert(1)%3C/script%3E", "access_denied"] {
                let attempt = try Attempt(server)
                let page = try attempt.browser.get(
                    "/sign-in/with/oidc/callback?state=\(attempt.state)&error=\(error)"
                        + "&error_description=%3Cscript%3Ealert(2)&error_uri=https://evil.example")
                try expectRefused(page, 400, server)
                #expect(!page.text.contains("alert("))
                #expect(!page.text.contains("evil.example"))
                #expect(!page.text.contains("Evil <b>"))
                #expect(page.text.contains("Evil &lt;b&gt;"))
            }
        }
    }

    @Test("leads nobody to another site, nor does the cookie that they keep meanwhile")
    func returns() async throws {
        try await EvilProvider.with { provider, server in
            func finish(_ attempt: Attempt) throws -> String? {
                let token = try provider.idToken(attempt)
                provider.set { $0.idToken = token }
                return try attempt.finish()["location"]
            }
            let good = try Attempt(server, query: "?return=%2Fgames%3Fsearch%3Dx")
            #expect(try finish(good) == "/games?search=x")
            for path in [
                "//evil.example", #"/\evil.example"#, "https://evil.example", "/\t/evil.example",
                "%2f%2fevil.example", "/\r\nSet-Cookie: a=b", "/sign-in?return=//evil.example",
                "/" + String(repeating: "x", count: 1024),
            ] {
                let escaped = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
                let attempt = try Attempt(server, query: "?return=\(escaped ?? "")")
                #expect(try finish(attempt) == "/@mallory", "\(path)")
                // As someone who can set cookies here would try.
                let other = try Attempt(server)
                let secret = try #require(
                    other.browser.cookies["__Host-sign-in"]?.split(separator: ".").first)
                other.browser.cookies["__Host-sign-in"] =
                    "\(secret)..\(Data(path.utf8).base64URL)"
                #expect(try finish(other) == "/@mallory", "\(path)")
            }
            #expect(try users(server) == 1)
        }
    }

    @Test("signs nobody in to a session that was there before")
    func fixation() async throws {
        try await EvilProvider.with { provider, server in
            let attacker = Browser(server)
            try attacker.signUp("attacker")
            let victim = Browser(server)
            let attempt = try Attempt(victim)
            // Planted while the victim is at the provider.
            victim.cookies.merge(attacker.cookies) { own, _ in own }
            let token = try provider.idToken(attempt)
            provider.set { $0.idToken = token }
            #expect(try attempt.finish()["location"] == "/@mallory")
            let session = try #require(victim.cookies[Browser.sessionCookie])
            #expect(session != attacker.cookies[Browser.sessionCookie])
            #expect(victim.cookies["__Host-sign-in"] == nil)
            #expect(try !attacker.isSignedIn)
            #expect(try victim.isSignedIn(as: "mallory"))
        }
    }

    @Test("is visited from the public address, whatever name of the server the link was at")
    func otherNames() async throws {
        try await EvilProvider.with { provider, server in
            func location(_ target: String, host: String) throws -> String {
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
                let response = try connection.readResponse()
                #expect(response.status == 303)
                return response["location"] ?? ""
            }
            let path = "/sign-in/with/oidc"
            for host in ["fave.example", "FAVE.example:443"] {
                #expect(try location(path, host: host).hasPrefix(provider.issuer))
            }
            for host in ["localhost:8080", "192.0.2.1", "www.fave.example", "fave.example:8443"] {
                let there = try location(path + "?return=%2Fgames", host: host)
                #expect(there == "https://fave.example\(path)?return=%2Fgames&moved=1")
                #expect(try location(path, host: host) == "https://fave.example\(path)?moved=1")
                // A proxy may hide the name: nobody goes in circles.
                #expect(try location(path + "?moved=1", host: host).hasPrefix(provider.issuer))
            }
        }
    }

    @Test("is not asked for whoever is signed in, wherever the link came from")
    func signedIn() async throws {
        try await EvilProvider.with { _, server in
            let browser = Browser(server)
            try browser.signUp("rob")
            let response = try browser.get("/sign-in/with/oidc?return=/games")
            #expect(response.status == 303)
            #expect(response["location"] == "/games")
            #expect(response["set-cookie"] == nil)
        }
    }
}

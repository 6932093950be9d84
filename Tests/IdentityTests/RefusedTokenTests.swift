import Crypto
import Foundation
import HTTP
import HTTPClient
import HTTPTypes
import TestSupport
import Testing

@testable import Identity

@Suite("A provider that is set up in another way", .blocking)
struct RefusedTokenTests {
    private struct Case {
        /// What the log says.
        let words: String
        var key: TestKey?
        var header: [String: Any] = [:]
        var claims: [String: Any] = [:]
        var token: String?
    }

    private static var cases: [Case] {
        let now = Date().timeIntervalSince1970.rounded()
        let secret = SymmetricKey(size: .bits256)
        let shared = TestKey(algorithm: "HS256", jwk: ["kid": "good"], pem: "") {
            Data(HMAC<SHA256>.authenticationCode(for: $0, using: secret))
        }
        return [
            Case(words: "it is signed with \"HS256\", and only RS256", key: shared),
            Case(words: "it is signed with \"none\"", header: ["alg": "none"]),
            Case(words: "it is signed with \"ES256K\"", header: ["alg": "ES256K"]),
            Case(words: "publishes no key with the id (kid) \"new\"", header: ["kid": "new"]),
            Case(words: "not by the issuer's key \"good\"", key: .ed25519("good")),
            Case(words: "its type (typ) is \"secevent+jwt\"", header: ["typ": "secevent+jwt"]),
            Case(words: "it demands extensions (crit)", header: ["crit": ["x"], "x": 1]),
            Case(
                words: "its audience (aud) is \"other\", without \"fave\"", claims: ["aud": "other"]
            ),
            Case(
                words: "its issuer (iss) is \"https://a.example\"",
                claims: ["iss": "https://a.example"]),
            Case(words: "its subject (sub) is empty", claims: ["sub": ""]),
            Case(words: "it expired (exp) 3", claims: ["exp": now - 3600]),
            Case(words: "its time (iat) is 3", claims: ["iat": now + 3600]),
            Case(words: "its time (nbf) is 3", claims: ["nbf": now + 3600]),
            Case(words: "its nonce is missing", claims: ["nonce": "x"]),
            Case(words: "exp is missing", claims: ["exp": NSNull()]),
            Case(words: "sub has the wrong type", claims: ["sub": 5]),
            Case(words: "it is encrypted", token: "a.b.c.d.e"),
            Case(words: "it has 1 parts instead of 3", token: "opaque"),
        ]
    }

    @Test("is told apart in the log, which names the check that failed")
    func reasons() async throws {
        let log = Recorder<String>()
        try await EvilProvider.with(log: log) { provider, server in
            for wrong in Self.cases {
                let attempt = try Attempt(server)
                let token = try provider.idToken(
                    attempt, by: wrong.key, header: wrong.header, claims: wrong.claims)
                provider.set { $0.idToken = wrong.token ?? token }
                #expect(try attempt.finish().status == 502)
                let line = log.elements.last { $0.contains("the ID token of") } ?? ""
                #expect(line.contains(wrong.words), "\(line)")
                #expect(line.contains(provider.issuer), "\(line)")
            }
            let lines = log.elements.filter { $0.contains("the ID token of") }
            #expect(lines.count == Self.cases.count)
            #expect(Set(lines).count == lines.count, "a line that repeats is left out for a minute")
        }
    }

    @Test("so that it publishes no keys is told apart in the log, too")
    func noKeys() async throws {
        let log = Recorder<String>()
        try await EvilProvider.with(log: log) { provider, server in
            provider.set { $0.keys = [] }
            let attempt = try Attempt(server)
            let token = try provider.idToken(attempt)
            provider.set { $0.idToken = token }
            #expect(try attempt.finish().status == 502)
            #expect(
                log.elements.contains { $0.contains("none of the issuer's keys could be read") })
            #expect(log.elements.contains { $0.contains("its key set has no public key") })
        }
    }

    @Test("may have a clock that is up to a minute ahead or behind")
    func clocks() async throws {
        try await EvilProvider.with { provider, server in
            for seconds in [50.0, -340] {
                let attempt = try Attempt(server)
                let now = Date().timeIntervalSince1970 + seconds
                let token = try provider.idToken(
                    attempt, claims: ["iat": now, "nbf": now, "exp": now + 300])
                provider.set { $0.idToken = token }
                #expect(try attempt.finish().status == 303, "\(seconds)")
            }
        }
    }

    @Test("may send large tokens and key sets, and many claims")
    func sizes() async throws {
        try await EvilProvider.with { provider, server in
            let attempt = try Attempt(server)
            var claims: [String: Any] = ["groups": (0..<8000).map { "group-\($0)" }]
            for number in 0..<400 { claims["claim-\(number)"] = "x" }
            let token = try provider.idToken(attempt, claims: claims)
            #expect(token.utf8.count > 100_000)
            provider.set { state in
                state.keys = (0..<200).map { TestKey.ed25519("old-\($0)") } + [provider.key]
                state.idToken = token
                state.userinfo =
                    #"{"sub": "person-1", "name": "Rob", "x": "\#(String(repeating: "x", count: 200_000))"}"#
            }
            #expect(try attempt.finish().status == 303)
            #expect(try Self.count(server, "users WHERE display_name = 'Rob'") == 1)
        }
    }

    @Test("may know its client by the other way to tell a secret than the one it announces first")
    func authentication() async throws {
        let both = ["client_secret_basic", "client_secret_post"]
        let tries: [(announced: [String]?, only: String)] = [
            (both, both[1]), (nil, both[1]), ([both[1]], both[0]),
        ]
        for (announced, only) in tries {
            try await EvilProvider.with { provider, server in
                provider.set {
                    $0.authentication = only
                    $0.metadata = { _ in
                        announced.map { ["token_endpoint_auth_methods_supported": $0 as Any] }
                            ?? [:]
                    }
                }
                for requests in [2, 3] {
                    let attempt = try Attempt(server)
                    let token = try provider.idToken(attempt)
                    provider.set { $0.idToken = token }
                    #expect(try attempt.finish().status == 303, "\(only)")
                    // What was accepted once comes first from then on.
                    #expect(provider.requests("/token").count == requests)
                }
            }
        }
    }

    @Test("so that it rejects this site as its client says so to the operator, once")
    func rejected() async throws {
        let log = Recorder<String>()
        try await EvilProvider.with(log: log) { provider, server in
            let refusal = #"{"error": "invalid_client"}"#
            provider.set {
                $0.tokenResponse = Response(status: .unauthorized, body: Array(refusal.utf8))
            }
            let response = try Attempt(server).finish()
            #expect(response.status == 400)
            #expect(provider.requests("/token").count == 2)
            let lines = log.elements.filter { $0.contains("rejects this site as its client") }
            #expect(lines.count == 1)
            #expect(!log.elements.contains { $0.contains("s3cret") })
        }
    }

    @Test("fills what its token lacks with what only userinfo has, and changes nothing else")
    func userinfo() async throws {
        let settings = ["OIDC_USERNAME_CLAIM": "handle"]
        let userinfo =
            #"{"sub": "person-1", "handle": "robot", "preferred_username": "eve", "name": "Rob"}"#
        let tries: [(claims: [String: Any], username: String, name: String)] = [
            (["name": "Zoe"], "robot", "Zoe"), (["handle": "own"], "own", "Rob"),
            (["handle": "own", "name": "\u{200B}"], "own", "Rob"),
            (["handle": "rob@mail.example"], "robot", "Rob"),
        ]
        for (claims, username, name) in tries {
            try await EvilProvider.with(settings: settings) { provider, server in
                let attempt = try Attempt(server)
                let token = try provider.idToken(attempt, claims: claims)
                provider.set {
                    $0.idToken = token
                    $0.userinfo = userinfo
                }
                #expect(try attempt.finish()["location"] == "/@\(username)")
                #expect(
                    try Self.count(server, "users WHERE display_name = '\(name)'") == 1, "\(claims)"
                )
            }
        }
    }

    @Test("must name itself in its responses if it announces that")
    func issuers() async throws {
        let log = Recorder<String>()
        try await EvilProvider.with(log: log) { provider, server in
            provider.set {
                $0.metadata = { _ in ["authorization_response_iss_parameter_supported": true] }
            }
            for (query, status) in [
                ("", 400), ("&iss=", 400), ("&iss=https://a.example", 400),
                ("&iss=\(provider.issuer)", 303),
            ] {
                let attempt = try Attempt(server)
                let token = try provider.idToken(attempt)
                provider.set { $0.idToken = token }
                #expect(try attempt.finish(query).status == status, "\(query)")
            }
            #expect(provider.requests("/token").count == 1)
            #expect(log.elements.contains { $0.contains("it names no issuer (iss)") })
        }
    }

    @Test("is found unfit before anyone tries to sign in")
    func check() async throws {
        let rsa = try await TestKey.rsa("rsa")
        let tries: [(keys: [TestKey]?, algorithms: [String]?, fault: String?)] = [
            (nil, nil, nil), (nil, ["HS256", "EdDSA"], nil), ([rsa], ["RS256"], nil),
            ([], nil, "no public key"), ([], ["HS256"], "no public key"),
            (nil, ["HS256"], "it signs ID tokens with HS256, and its keys are for EdDSA"),
            ([rsa], ["ES256K"], "it signs ID tokens with ES256K"),
        ]
        for (keys, algorithms, fault) in tries {
            try await EvilProvider.with { provider, _ in
                provider.set {
                    $0.keys = keys ?? $0.keys
                    $0.metadata = { _ in
                        algorithms.map { ["id_token_signing_alg_values_supported": $0 as Any] }
                            ?? [:]
                    }
                }
                let detail = try await Self.fault(of: provider.issuer)
                if let fault {
                    #expect(detail?.contains(fault) == true, "\(detail ?? "")")
                } else {
                    #expect(detail == nil)
                }
            }
        }
    }

    private static func count(_ server: TestServer, _ what: String) throws -> Int {
        try server.database.session().query("SELECT count(*) FROM \(what)")[0][0]
    }

    /// What a check of a provider complains about.
    private static func fault(of issuer: String) async throws -> String? {
        try await withLoop { loop in
            let client = HTTPClient(on: loop)
            let realm = try await Realm(
                ownKeys: OwnKeys([], loop: loop, logger: .silent) { [] }, trusted: [],
                providers: [
                    OpenIDConfiguration(
                        key: "oidc", name: "Evil", issuer: issuer, clientID: "fave",
                        clientSecret: nil)
                ], client: client, loop: loop, logger: .silent)
            let provider = try #require(realm.openIDProviders(client: client).first)
            return await Task(executorPreference: loop) {
                let fault: String?
                do throws(OpenIDError) {
                    try await provider.check()
                    fault = nil
                } catch {
                    fault = error.detail
                }
                await client.close()
                return fault
            }.value
        }
    }
}

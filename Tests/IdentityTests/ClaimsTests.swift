import Foundation
import Testing

@testable import Identity

@Suite("A trusted issuer's token")
struct ClaimsTests {
    private let key = TestKey.ed25519()
    private let verifier: TokenVerifier

    init() async throws { verifier = try await TokenVerifier.make(trusting: [key]) }

    private func accepts(_ claims: [String: Any]) async throws -> Bool {
        await verifier.accepts(try key.token(claims: claims))
    }

    private var now: Double { Moment.now.timeIntervalSince1970 }

    @Test("says who it is from and who it speaks for")
    func subject() async throws {
        let token = try key.token(claims: [
            "preferred_username": "rob", "name": "Rob S.", "email": "r@example.com",
        ])
        let claims = try #require(await verifier.verify(token, now: Moment.now))
        let identity = ProviderIdentity(claims, usernameClaim: nil)
        #expect(identity.issuer == "https://issuer.example")
        #expect(identity.subject == "person-1")
        #expect(identity.suggestedName == "rob")
        #expect(identity.displayName == "Rob S.")
    }

    @Test("suggests the best name that it has, and ignores one of a wrong type")
    func names() async throws {
        func suggestion(_ claims: [String: Any]) async throws -> String? {
            let claims = await verifier.verify(try key.token(claims: claims), now: Moment.now)
            return ProviderIdentity(try #require(claims), usernameClaim: nil).suggestedName
        }
        #expect(
            try await suggestion(["nickname": "nick", "email": "eve@x", "name": "Nan"]) == "nick")
        #expect(
            try await suggestion(["preferred_username": "eve@x", "nickname": "Nan"]) == "Nan",
            "a name for everyone comes before a mail address")
        #expect(
            try await suggestion(["preferred_username": "eve.long@x", "name": "Nan"]) == "eve.long")
        #expect(
            try await suggestion(["email": "eve@x", "name": "Nan"]) == "eve",
            "the host is nobody else's business")
        #expect(try await suggestion(["name": "Zoë Müller"]) == "Zoë Müller")
        // Nothing can be made of the first ones.
        #expect(
            try await suggestion(["preferred_username": "佐藤", "nickname": "x", "name": "Satō"])
                == "Satō")
        #expect(try await suggestion(["preferred_username": "admin", "nickname": "ann"]) == "ann")
        #expect(try await suggestion(["preferred_username": "佐藤"]) == nil)
        #expect(try await suggestion([:]) == nil)
        #expect(try await suggestion(["preferred_username": 7, "nickname": "Nan"]) == "Nan")
    }

    @Test("is refused once it has expired, but for clocks that differ")
    func expiry() async throws {
        #expect(try await accepts(["exp": now - 59]))
        #expect(try await !accepts(["exp": now - 60]))
        #expect(try await !accepts(["exp": 0]))
        #expect(try await !accepts(["exp": -1e300]))
    }

    @Test("is refused without a time of expiry that is a number")
    func missingExpiry() async throws {
        #expect(try await !accepts(["exp": NSNull()]))
        #expect(try await !accepts(["exp": "\(now + 300)"]))
        #expect(try await !accepts(["exp": [now + 300]]))
    }

    @Test("is refused before its time, but for clocks that differ", arguments: ["nbf", "iat"])
    func notYet(claim: String) async throws {
        #expect(try await accepts([claim: now + 60]))
        #expect(try await !accepts([claim: now + 61]))
        #expect(try await !accepts([claim: "soon"]))
    }

    @Test("may have times with fractions")
    func fractions() async throws {
        #expect(try await accepts(["exp": now + 0.5, "nbf": now - 0.5, "iat": now - 0.25]))
    }

    @Test("is refused from anybody else")
    func issuer() async throws {
        for issuer in [
            "", "https://issuer.example/", "https://other.example", "HTTPS://ISSUER.EXAMPLE",
        ] {
            #expect(try await !accepts(["iss": issuer]))
        }
        #expect(try await !accepts(["iss": NSNull()]))
        #expect(try await !accepts(["iss": ["https://issuer.example"]]))
    }

    @Test("is refused when meant for others, whether it names one or several")
    func audience() async throws {
        #expect(try await accepts(["aud": ["other", "fave"]]))
        #expect(try await !accepts(["aud": "other"]))
        #expect(try await !accepts(["aud": "fave2"]))
        #expect(try await !accepts(["aud": ["other", "Fave"]]))
        #expect(try await !accepts(["aud": [String]()]))
        #expect(try await !accepts(["aud": NSNull()]))
        #expect(try await !accepts(["aud": 5]))
        #expect(try await !accepts(["aud": ["fave", 5] as [Any]]))
    }

    @Test("is refused without a subject that can be stored")
    func subjects() async throws {
        #expect(try await accepts(["sub": String(repeating: "é", count: 255)]))
        #expect(try await !accepts(["sub": String(repeating: "é", count: 256)]))
        #expect(try await !accepts(["sub": ""]))
        #expect(try await !accepts(["sub": "a\0b"]))
        #expect(try await !accepts(["sub": NSNull()]))
        #expect(try await !accepts(["sub": 17]))
    }
}

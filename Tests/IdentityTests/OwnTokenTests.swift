import Foundation
import Storage
import StorageWrites
import Testing

@testable import Identity

@Suite("A token of our own")
struct OwnTokenTests {
    private let key: SigningKey
    private let user = UUID()

    init() throws { key = try #require(SigningKey(SigningKey.make())) }

    @Test("speaks for the user it was made for")
    func roundTrip() async throws {
        let token = try await key.token(for: user, lifetime: .seconds(60), now: Moment.now)
        let claims = try await TokenVerifier.make(own: [key]).verify(token, now: Moment.now)
        #expect(claims?.issuer == "fave-games")
        #expect(claims?.subject == user.text)
        #expect(claims?.sessionID == nil)
    }

    @Test("is good until it expires, and a minute longer for clocks that differ")
    func expiry() async throws {
        let verifier = try await TokenVerifier.make(own: [key])
        let token = try await key.token(for: user, lifetime: .seconds(60), now: Moment.now)
        #expect(await verifier.verify(token, now: Moment.now + 60) != nil)
        #expect(await verifier.verify(token, now: Moment.now + 119) != nil)
        #expect(await verifier.verify(token, now: Moment.now + 120) == nil)
        #expect(await verifier.verify(token, now: Moment.now + 1_000_000) == nil)
    }

    @Test("is not good before it was issued, but for clocks that differ")
    func issuedInTheFuture() async throws {
        let verifier = try await TokenVerifier.make(own: [key])
        let token = try await key.token(for: user, lifetime: .seconds(600), now: Moment.now)
        #expect(await verifier.verify(token, now: Moment.now - 60) != nil)
        #expect(await verifier.verify(token, now: Moment.now - 61) == nil)
    }

    @Test("is written in one way only: bits of the signature that mean nothing aren't ignored")
    func canonical() async throws {
        let verifier = try await TokenVerifier.make(own: [key])
        let token = try await key.token(for: user, lifetime: .seconds(60), now: Moment.now)
        #expect(await verifier.verify(token, now: Moment.now) != nil)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(alphabet.firstIndex(of: token.last ?? "."))
        // 64 bytes leave four bits of the last character unused.
        for bits in 1..<16 {
            let other = token.dropLast() + String(alphabet[last + bits])
            #expect(await verifier.verify(String(other), now: Moment.now) == nil, "\(bits)")
        }
    }

    @Test("is good with the newest key and with older ones")
    func rotation() async throws {
        let older = try #require(SigningKey(SigningKey.make()))
        let verifier = try await TokenVerifier.make(own: [key, older])
        for signer in [key, older] {
            let token = try await signer.token(for: user, lifetime: .seconds(60), now: Moment.now)
            #expect(await verifier.accepts(token))
        }
    }

    @Test("of another server is refused")
    func otherServer() async throws {
        let other = try #require(SigningKey(SigningKey.make()))
        let token = try await other.token(for: user, lifetime: .seconds(60), now: Moment.now)
        #expect(try await !(TokenVerifier.make(own: [key])).accepts(token))
    }

    @Test("cannot be made by a trusted issuer")
    func issuersStayApart() async throws {
        let outsider = TestKey.ed25519()
        let verifier = try await TokenVerifier.make(
            own: [key], trusting: TestKey.set([outsider]))
        let claims: [String: Any] = [
            "iss": "fave-games", "aud": "fave-games", "sub": user.text,
        ]
        #expect(try await verifier.accepts(outsider.token()))
        #expect(try await !verifier.accepts(outsider.token(claims: claims)))
        #expect(
            try await !verifier.accepts(outsider.token(header: ["kid": key.id], claims: claims)))
    }
}

@Suite("A signing key")
struct SigningKeyTests {
    @Test("is new each time, with an id that fits into a token and a table")
    func making() {
        let first = SigningKey.make()
        let second = SigningKey.make()
        #expect(first.id != second.id)
        #expect(first.privateKey != second.privateKey)
        #expect(first.id.wholeMatch(of: /[A-Za-z0-9_-]{8,64}/) != nil)
        #expect(first.privateKey.wholeMatch(of: /[A-Za-z0-9+\/]{43}=/) != nil)
    }

    @Test("is not made of what is no key", arguments: ["", "AAAA", "not base64!", "=="])
    func damaged(stored: String) {
        #expect(SigningKey(StoredSigningKey(id: "12345678", privateKey: stored)) == nil)
    }
}

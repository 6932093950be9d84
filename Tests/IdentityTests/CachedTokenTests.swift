import Foundation
import Testing

@testable import Identity

@Suite("A token that was verified before")
struct CachedTokenTests {
    private let key = TestKey.ed25519("first")
    private let newKey = TestKey.p256("second")

    @Test("ends to the second when it says")
    func expiry() async throws {
        let verifier = try await TokenVerifier.make(trusting: [key])
        let expires = Moment.now.timeIntervalSince1970 + 60
        let token = try key.token(claims: ["exp": expires])
        #expect(await verifier.accepts(token))
        func isAccepted(at time: Double) async -> Bool {
            await verifier.verify(token, now: Date(timeIntervalSince1970: time)) != nil
        }
        // Clocks may differ by thirty seconds.
        #expect(await isAccepted(at: expires + 29))
        #expect(await !isAccepted(at: expires + 60))
        #expect(verifier.cachedCount == 1)
    }

    @Test("says nothing of one with another last byte")
    func lastByte() async throws {
        let verifier = try await TokenVerifier.make(trusting: [key])
        let token = try key.token()
        #expect(await verifier.accepts(token))
        // The last character of a signature has bits that mean nothing; this changes the others.
        let last = try #require(token.last)
        let forged = token.dropLast() + (last == "A" ? "Q" : "A")
        #expect(await !verifier.accepts(String(forged)))
        #expect(await !verifier.accepts(token + "A"))
        #expect(verifier.cachedCount == 1)
    }

    @Test("is verified again with the issuer's next keys")
    func lostKey() async throws {
        let server = try KeySetServer([key])
        try await server.serve(attemptInterval: .zero) { verifier async throws in
            let token = try key.token()
            #expect(await verifier.accepts(token))
            #expect(await verifier.accepts(token))
            try server.give([newKey])
            #expect(await verifier.accepts(token), "the set is still current")
            #expect(try await verifier.accepts(newKey.token()))
            #expect(await !verifier.accepts(token), "its key is gone")
        }
    }

    @Test("is one of a bounded number")
    func bound() async throws {
        let verifier = try await TokenVerifier.make(trusting: [key])
        for number in 0..<TokenVerifier.cacheLimit + 10 {
            #expect(try await verifier.accepts(key.token(claims: ["sub": "\(number)"])))
        }
        #expect(verifier.cachedCount == TokenVerifier.cacheLimit)
        for number in 0..<10 { #expect(await !verifier.accepts("\(number).b.c")) }
        #expect(verifier.cachedCount == TokenVerifier.cacheLimit)
    }
}

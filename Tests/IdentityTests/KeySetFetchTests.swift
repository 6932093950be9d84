import Foundation
import Testing

@testable import Identity

@Suite("A key set behind an address")
struct KeySetFetchTests {
    private let key = TestKey.ed25519("first")
    private let newKey = TestKey.p256("second")

    @Test("is fetched by the first token, and cached")
    func fetchedOnce() async throws {
        let keys = [key, newKey, try await TestKey.rsa()]
        let server = try KeySetServer(keys)
        try await server.serve(attemptInterval: .zero) { verifier async throws in
            #expect(server.requests == 0)
            for _ in 0..<3 {
                for key in keys { #expect(try await verifier.accepts(key.token())) }
            }
            #expect(server.requests == 1)
        }
    }

    @Test("is not fetched for a token of someone else, or for garbage")
    func notFetched() async throws {
        let server = try KeySetServer([key])
        try await server.serve(attemptInterval: .zero) { verifier async throws in
            #expect(await !verifier.accepts("a.b.c"))
            #expect(try await !verifier.accepts(key.token(claims: ["iss": "https://x.example"])))
            #expect(server.requests == 0)
        }
    }

    @Test("is fetched again for a key it did not have")
    func rotation() async throws {
        let server = try KeySetServer([key])
        try await server.serve(attemptInterval: .zero) { verifier async throws in
            #expect(try await verifier.accepts(key.token()))
            try server.give([newKey])
            #expect(try await verifier.accepts(newKey.token()))
            #expect(server.requests == 2)
            #expect(try await !verifier.accepts(key.token()), "the old key is gone")
        }
    }

    @Test("is not fetched again before its time, however many unknown keys come")
    func rateLimit() async throws {
        let server = try KeySetServer([key])
        try await server.serve(attemptInterval: .day) { verifier async throws in
            #expect(try await verifier.accepts(key.token()))
            try server.give([key, newKey])
            for number in 0..<20 {
                #expect(try await !verifier.accepts(key.token(header: ["kid": "k\(number)"])))
            }
            #expect(try await !verifier.accepts(newKey.token()))
            #expect(try await verifier.accepts(key.token()))
            #expect(server.requests == 1)
        }
    }

    @Test("is fetched once for all who ask at the same time")
    func oneFetch() async throws {
        let server = try KeySetServer([key])
        try await server.serve(attemptInterval: .day) { verifier async throws in
            let token = try key.token()
            let accepted = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 { group.addTask { await verifier.accepts(token) } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(accepted == 50)
            #expect(server.requests == 1)
        }
    }

    @Test("that is broken accepts nothing, and is asked for no more than is allowed")
    func brokenFromTheStart() async throws {
        let server = try KeySetServer([key])
        server.give(.internalServerError, "")
        try await server.serve(attemptInterval: .day) { verifier async throws in
            for _ in 0..<3 { #expect(try await !verifier.accepts(key.token())) }
            #expect(server.requests == 1)
        }
    }

    @Test("that was broken works once it is repaired")
    func repaired() async throws {
        let server = try KeySetServer([key])
        server.give(.ok, "<html>not a key set</html>")
        try await server.serve(attemptInterval: .zero) { verifier async throws in
            #expect(try await !verifier.accepts(key.token()))
            try server.give([key])
            #expect(try await verifier.accepts(key.token()))
        }
    }

    @Test(
        "that breaks leaves the keys that were fetched before",
        arguments: [
            (500, ""), (404, #"{"keys":[]}"#), (200, ""), (200, #"{"keys":[]}"#), (200, "<html>"),
            (302, ""), (200, #"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#),
            (200, String(repeating: " ", count: 300_000) + "{}"),
        ])
    func brokenLater(status: Int, text: String) async throws {
        let server = try KeySetServer([key])
        try await server.serve(attemptInterval: .zero) { verifier async throws in
            #expect(try await verifier.accepts(key.token()))
            server.give(.init(code: status), text)
            #expect(try await !verifier.accepts(newKey.token()))
            #expect(server.requests >= 2)
            #expect(try await verifier.accepts(key.token()))
        }
    }
}

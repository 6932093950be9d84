import Foundation
import Testing

@testable import Identity

@Suite("What is no token is refused")
struct MalformedTokenTests {
    private let key = TestKey.ed25519()
    private let verifier: TokenVerifier

    init() async throws { verifier = try await TokenVerifier.make(trusting: [key]) }

    /// Signs header and claims as they stand, in whatever encoding.
    private func sign(_ header: String, _ claims: String) throws -> String {
        let input = header + "." + claims
        return input + "." + (try key.sign(Data(input.utf8)).base64URL)
    }

    @Test(
        "whatever it is",
        arguments: [
            "", ".", "..", "...", "a", "a.b", "a.b.c", "a.b.c.d", "e30.e30.e30", "null.null.null",
            "bnVsbA.bnVsbA.bnVsbA", "W10.W10.W10", "\u{0}", "💩.💩.💩", " . . ",
            "eyJhbGciOiJFZERTQSJ9..", "eyJhbGciOiJFZERTQSJ9.e30.", "....................",
        ])
    func garbage(text: String) async {
        #expect(await !verifier.accepts(text))
    }

    @Test("when it is cut anywhere")
    func cut() async throws {
        let token = try key.token()
        for length in stride(from: 0, to: token.count, by: 3) {
            #expect(await !verifier.accepts(String(token.prefix(length))))
        }
    }

    @Test("when something stands around it, or in it")
    func surroundings() async throws {
        let token = try key.token()
        #expect(await verifier.accepts(token))
        for text in [" " + token, token + " ", token + "\n", token + ".", "." + token, token + "A"]
        {
            #expect(await !verifier.accepts(text), "\(text)")
        }
        #expect(await !verifier.accepts(token.replacing(".", with: ".\n")))
    }

    @Test("when its base64 is not that of URLs, without padding")
    func base64() async throws {
        let header = Data(#"{"alg":"EdDSA","kid":"ed"}"#.utf8)
        // Chosen so that it needs padding, and has both of the letters that differ.
        let claims = try JSONSerialization.data(
            withJSONObject: TestKey.claims.merging(["name": "\u{FFFF}~~~???>>>"]) { $1 })
        let right = try sign(header.base64URL, claims.base64URL)
        #expect(await verifier.accepts(right))
        let padded = try sign(header.base64EncodedString(), claims.base64URL)
        #expect(header.base64EncodedString().hasSuffix("="))
        #expect(await !verifier.accepts(padded))
        #expect(await !verifier.accepts(right + "=="))
        let broken = try sign(
            header.base64URL, claims.base64URL.prefix(40) + "\n" + claims.base64URL.dropFirst(40))
        #expect(await !verifier.accepts(broken))
        let ordinary = Data([0xFB, 0xFF, 0xFE]).base64EncodedString()
        #expect(ordinary == "+//+")
        #expect(try await !verifier.accepts(sign(header.base64URL, ordinary)))
    }

    @Test("when header or claims are no JSON object")
    func notObjects() async throws {
        let header = Data(#"{"alg":"EdDSA","kid":"ed"}"#.utf8).base64URL
        for text in ["", "{", "[]", "null", "1", "\"a\"", "{\"iss\":", "\u{FEFF}"] {
            #expect(try await !verifier.accepts(sign(header, Data(text.utf8).base64URL)))
            #expect(try await !verifier.accepts(sign(Data(text.utf8).base64URL, header)))
        }
        let deep = String(repeating: "[", count: 3000)
        #expect(try await !verifier.accepts(sign(Data(deep.utf8).base64URL, header)))
        #expect(try await !verifier.accepts(sign(header, Data(deep.utf8).base64URL)))
    }

    @Test(
        "when its header has a member twice, or one that says nothing",
        arguments: [
            #"{"alg":"EdDSA","kid":"ed","kid":"ed"}"#, #"{"alg":"EdDSA","kid":"x","kid":"ed"}"#,
            #"{"alg":"none","alg":"EdDSA","kid":"ed"}"#,
            #"{"alg":"EdDSA","kid":"ed","\u0061lg":"EdDSA"}"#,
            #"{"alg":"EdDSA","kid":"ed","x":1,"x":1}"#,
            #"{"alg":"EdDSA","kid":"ed","jwk":{"x":1,"x":2}}"#,
            #"{"alg":"EdDSA","kid":"ed","crit":null}"#, #"{"alg":"EdDSA","kid":"ed","crit":[]}"#,
            #"{"alg":"EdDSA","kid":"ed","crit":[null]}"#, #"{"alg":"EdDSA","kid":null}"#,
            #"{"alg":"EdDSA","kid":"ed","typ":null}"#, #"{"alg":null,"kid":"ed"}"#,
            #"{"alg":["EdDSA"],"kid":"ed"}"#, #"{"kid":"ed"}"#,
        ])
    func headerMembers(header: String) async throws {
        let claims = try JSONSerialization.data(withJSONObject: TestKey.claims).base64URL
        let right = Data(#"{"x":1,"alg":"EdDSA","kid":"ed"}"#.utf8).base64URL
        #expect(try await verifier.accepts(sign(right, claims)))
        #expect(try await !verifier.accepts(sign(Data(header.utf8).base64URL, claims)))
    }

    @Test("when it is not UTF-8")
    func encoding() async throws {
        var claims = try JSONSerialization.data(withJSONObject: TestKey.claims)
        let header = Data(#"{"alg":"EdDSA","kid":"ed"}"#.utf8).base64URL
        #expect(try await verifier.accepts(sign(header, claims.base64URL)))
        let place = try #require(claims.firstRange(of: Data("person".utf8))).lowerBound
        claims[place] = 0xFF
        #expect(try await !verifier.accepts(sign(header, claims.base64URL)))
    }

    @Test("when it is longer than eight kibibytes, though it is right")
    func size() async throws {
        let short = try key.token(claims: ["extra": String(repeating: "x", count: 5000)])
        #expect(short.utf8.count < 8192)
        #expect(await verifier.accepts(short))
        let long = try key.token(claims: ["extra": String(repeating: "x", count: 6200)])
        #expect(long.utf8.count > 8192)
        #expect(await !verifier.accepts(long))
    }
}

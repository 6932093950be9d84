import Crypto
import Foundation
import Testing

@testable import Identity

@Suite("A forged token is refused")
struct ForgedTokenTests {
    private let key = TestKey.ed25519()
    private let verifier: TokenVerifier

    init() async throws { verifier = try await TokenVerifier.make(trusting: [key]) }

    private func parts(_ token: String) -> [String] {
        token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("while the true one is accepted")
    func control() async throws {
        #expect(try await verifier.accepts(key.token()))
    }

    @Test("when its signature differs in any bit")
    func bitFlips() async throws {
        let signed = parts(try key.token())
        let input = signed[0] + "." + signed[1]
        let signature = try key.sign(Data(input.utf8))
        #expect(await verifier.accepts(input + "." + signature.base64URL))
        for bit in 0..<signature.count * 8 {
            var forged = signature
            forged[bit / 8] ^= 1 << (bit % 8)
            #expect(await !verifier.accepts(input + "." + forged.base64URL), "bit \(bit)")
        }
    }

    @Test("when its signature is cut, longer, zero or another token's")
    func wrongSignatures() async throws {
        let signed = parts(try key.token())
        let input = signed[0] + "." + signed[1] + "."
        let signature = try key.sign(Data(input.dropLast().utf8))
        #expect(await !verifier.accepts(input))
        #expect(await !verifier.accepts(input + signature.dropLast().base64URL))
        #expect(await !verifier.accepts(input + (signature + [0]).base64URL))
        #expect(await !verifier.accepts(input + Data(count: 64).base64URL))
        #expect(try await !verifier.accepts(input + parts(key.token(claims: ["sub": "x"]))[2]))
    }

    @Test("when its claims or header were exchanged")
    func exchanged() async throws {
        let mine = parts(try key.token())
        let others = parts(try key.token(claims: ["sub": "person-2"]))
        #expect(await !verifier.accepts([mine[0], others[1], mine[2]].joined(separator: ".")))
        let renamed = parts(try key.token(header: ["typ": "at+jwt"]))
        #expect(await !verifier.accepts([renamed[0], mine[1], mine[2]].joined(separator: ".")))
    }

    @Test("when it says that it needs no signature", arguments: ["none", "None", "NONE", ""])
    func none(algorithm: String) async throws {
        let token = parts(try key.token(header: ["alg": algorithm]))
        #expect(await !verifier.accepts(token.joined(separator: ".")))
        #expect(await !verifier.accepts(token[0] + "." + token[1] + "."))
        #expect(await !verifier.accepts(token[0] + "." + token[1]))
        let anonymous = parts(try key.token(header: ["alg": algorithm, "kid": NSNull()]))
        #expect(await !verifier.accepts(anonymous[0] + "." + anonymous[1] + "."))
    }

    @Test("when a public key was used as a secret")
    func algorithmConfusion() async throws {
        for key in [key, TestKey.p256(), try await TestKey.rsa()] {
            let verifier = try await TokenVerifier.make(trusting: [key])
            #expect(try await verifier.accepts(key.token()))
            let body = key.pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
            let secrets = [
                Data(key.pem.utf8), Data((key.pem + "\n").utf8), Data(body.utf8),
                try #require(Data(base64Encoded: body)),
                Data((key.jwk["x"] ?? key.jwk["n"] ?? "").utf8), Data(),
            ]
            for secret in secrets {
                for header in [[:], ["kid": NSNull()]] as [[String: Any]] {
                    let confused = TestKey(
                        algorithm: "HS256", jwk: key.jwk, pem: key.pem,
                        sign: {
                            Data(
                                HMAC<SHA256>.authenticationCode(
                                    for: $0, using: SymmetricKey(data: secret)))
                        })
                    #expect(try await !verifier.accepts(confused.token(header: header)))
                }
            }
        }
    }

    @Test("when its algorithm is not that of the key, though the signature is right")
    func otherAlgorithm() async throws {
        let rs256 = try await TestKey.rsa()
        let rs512 = try await TestKey.rsa(algorithm: "RS512")
        let only256 = try await TokenVerifier.make(trusting: [rs256])
        #expect(try await only256.accepts(rs256.token()))
        #expect(try await !only256.accepts(rs512.token()))
        #expect(try await !only256.accepts(rs256.token(header: ["alg": "RS512"])))
        #expect(try await !only256.accepts(rs512.token(header: ["alg": "RS256"])))
        let only512 = try await TokenVerifier.make(trusting: [rs512])
        #expect(try await only512.accepts(rs512.token()))
        #expect(try await !only512.accepts(rs256.token()))
    }

    @Test("when its key is unknown, or is not the one that it names")
    func otherKeys() async throws {
        let second = TestKey.ed25519("second")
        let verifier = try await TokenVerifier.make(trusting: [key, second])
        #expect(try await verifier.accepts(second.token()))
        #expect(try await !verifier.accepts(key.token(header: ["kid": "second"])))
        #expect(try await !verifier.accepts(key.token(header: ["kid": "third"])))
        #expect(try await !verifier.accepts(key.token(header: ["kid": ""])))
        #expect(try await !verifier.accepts(key.token(header: ["kid": 1])))
        // Which of two it would be is not for us to guess.
        #expect(try await !verifier.accepts(key.token(header: ["kid": NSNull()])))
        #expect(try await !verifier.accepts(TestKey.ed25519().token()))
    }

    @Test("when it brings its own key along")
    func embeddedKeys() async throws {
        let attacker = TestKey.ed25519()
        let headers: [[String: Any]] = [
            ["jwk": attacker.jwk], ["jku": "https://attacker.example/keys"],
            ["x5c": [attacker.pem]], ["x5u": "https://attacker.example/chain"],
            ["jwk": attacker.jwk, "kid": NSNull()],
        ]
        for header in headers {
            #expect(try await !verifier.accepts(attacker.token(header: header)))
            // A true one with such a header is as good as without: it is not looked at.
            #expect(try await verifier.accepts(key.token(header: header)))
        }
    }

    @Test("when it demands extensions that we do not know")
    func criticalExtensions() async throws {
        #expect(try await !verifier.accepts(key.token(header: ["crit": ["exp"]])))
        #expect(try await !verifier.accepts(key.token(header: ["crit": ["b64"], "b64": false])))
        #expect(try await !verifier.accepts(key.token(header: ["crit": [String]()])))
        #expect(try await !verifier.accepts(key.token(header: ["crit": "exp"])))
    }

    @Test("when it is a token for something else")
    func types() async throws {
        for type in ["at+jwt", "AT+JWT", "application/at+jwt", "jwt"] {
            #expect(try await verifier.accepts(key.token(header: ["typ": type])))
        }
        #expect(try await verifier.accepts(key.token(header: ["typ": NSNull()])))
        for type in ["logout+jwt", "secevent+jwt", "dpop+jwt", ""] {
            #expect(try await !verifier.accepts(key.token(header: ["typ": type])))
        }
    }
}

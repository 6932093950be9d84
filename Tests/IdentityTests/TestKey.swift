import Crypto
import Foundation
import JWTKit

/// A private key that signs whatever a test likes, right or wrong.
struct TestKey: Sendable {
    let algorithm: String
    /// The public half, as a JSON Web Key.
    let jwk: [String: String]
    /// The public half, in PEM form.
    let pem: String
    let sign: @Sendable (Data) throws -> Data

    var id: String { jwk["kid"] ?? "" }

    static func ed25519(_ id: String = "ed") -> TestKey {
        let key = Curve25519.Signing.PrivateKey()
        return TestKey(
            algorithm: "EdDSA",
            jwk: [
                "kty": "OKP", "crv": "Ed25519", "kid": id,
                "x": key.publicKey.rawRepresentation.base64URL,
            ],
            pem: EdDSA.PublicKey(backing: key.publicKey).pemRepresentation,
            sign: { try key.signature(for: $0) })
    }

    static func p256(_ id: String = "ec") -> TestKey {
        let key = P256.Signing.PrivateKey()
        let point = key.publicKey.rawRepresentation
        return TestKey(
            algorithm: "ES256",
            jwk: [
                "kty": "EC", "crv": "P-256", "kid": id, "x": point.prefix(32).base64URL,
                "y": point.suffix(32).base64URL,
            ],
            pem: key.publicKey.pemRepresentation,
            sign: { try key.signature(for: $0).rawRepresentation })
    }

    /// jwt-kit cannot make RSA keys: this one is fixed, and nobody's.
    static func rsa(_ id: String = "rsa", algorithm: String = "RS256") async throws -> TestKey {
        let key = try Insecure.RSA.PrivateKey(
            modulus: modulus, exponent: "AQAB", privateExponent: privateExponent, prime1: prime1,
            prime2: prime2)
        let collection = await JWTKeyCollection().add(
            rsa: key, digestAlgorithm: algorithm == "RS512" ? .sha512 : .sha256)
        let signer = try await collection.getKey()
        return TestKey(
            algorithm: algorithm,
            jwk: ["kty": "RSA", "kid": id, "n": modulus, "e": "AQAB", "alg": algorithm],
            pem: key.publicKey.pemRepresentation,
            sign: { try Data(signer.sign($0)) })
    }

    private static let modulus = """
        1z5yVuxA10lIOPVlT2W_Q1elct12ogzGmA6-z4zivcT709ZK9Tl0VBLOjv_IotU1wuD3ekj8QSvUtrF1GesSlcW9\
        mGnB_00a8CRd3bfNFdGp-0YXtuiK4auGR7iyGlxSGEukBDjgptmG2jHUFJwEzq0I1RXQmdskXUIibLaVS-jkMmaA\
        p31p0-sMSX_BQxeVdHxN6sMWq-i7wYo2G1kjZvvZidTftQq2FAiPEQUFo8HAYp3zI5aQBmH2MYwplm4Xu20QycRG\
        XVuCSDDxmpZFhnJwynT5ub7nsQfNgzQdf7vAnvGL94c3fwpcOrhXgPsggIhj0H0uYd0e6-fzo4wlVw
        """
    private static let privateExponent = """
        LFhDOkFGQpRoesOj8a2mr_sYrQePb2duatlu2lfORwaUU1ps6wTBQKj3QWLVNSb0AohStDDhN5QOKO16kLJri8vH\
        eeUgALcj-6GibRF3AS3G9WvFavuR0ViDO7eDigbHKxY6XlxRfE6Ih9-IMA7Mtr_TeAMcjPYnEceUTA15yL97ugjO\
        vgY-0nfDhoXODVlOscq5ih3A9SFWF4nL69s9AzdVsDq2nxJAT0uYjW_M4grxq_aV09k31RZYYUow8FNMpNC588Be\
        sYdj9uoZw_4HI5D_a5S4siVJUEWJv0U8ud59ekmWWTUgCtNXmj9vVJsMj0vuVzw2ABiEOET-bALD8Q
        """
    private static let prime1 = """
        7Js0O7rABXXndJlhGU_5SIjPW9C7mLKNXDsIyCNsIWuSPcWbgJ5BNWFh-OA_iIq2NP0QH5hPJXfIiS5dFippkZhN\
        ID52BYiG2uc-MH_z-bVryC8YPVaTzD-W6f_yfhMJOBVmtRD3xQ22aI8HbcA9udFlJK282fNcyQNZKItYS3s
        """
    private static let prime2 = """
        6OL9KoQ2dJ8csiaiJxzOD25ScU7xBd0ZySehju2Dfzln2NOS_7k4nveEC06IPcYd3Y2EY14YlzirJQvuwjmKjcuA\
        vFGfbqQZ-1QXj-G4MVFiN6tS8nu0An_8eRfPN52hI-uCGxD3GPOiP8jVBW8XGTTV26_ENlEt2llit4I0iNU
        """
}

extension TestKey {
    /// The claims of a token that is good at `Moment.now`.
    static var claims: [String: Any] {
        [
            "iss": "https://issuer.example", "aud": "fave", "sub": "person-1",
            "iat": Moment.now.timeIntervalSince1970,
            "exp": Moment.now.timeIntervalSince1970 + 300,
        ]
    }

    /// Signs a token. What is given for header and claims comes on top of what is right; `NSNull`
    /// takes a member away.
    func token(header: [String: Any] = [:], claims: [String: Any] = [:]) throws -> String {
        let signed =
            try Self.encode(["alg": algorithm, "kid": id, "typ": "JWT"], header) + "."
            + Self.encode(Self.claims, claims)
        return signed + "." + (try sign(Data(signed.utf8)).base64URL)
    }

    private static func encode(_ members: [String: Any], _ more: [String: Any]) throws -> String {
        let all = members.merging(more) { $1 }.filter { !($0.value is NSNull) }
        return try JSONSerialization.data(withJSONObject: all, options: .sortedKeys).base64URL
    }

    /// A key set with the public halves.
    static func set(_ keys: [TestKey]) throws -> String { try set(keys.map(\.jwk)) }

    static func set(_ keys: [Any]) throws -> String {
        String(
            decoding: try JSONSerialization.data(withJSONObject: ["keys": keys]), as: UTF8.self)
    }
}

/// The time at which all tokens of these tests are verified.
enum Moment {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
}

extension Data {
    /// RFC 4648 section 5, without padding.
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}

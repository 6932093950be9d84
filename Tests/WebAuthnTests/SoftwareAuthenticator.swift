import Crypto
import Foundation
import WebAuthn

/// An authenticator with one credential, and the browser in front of it. A test may change
/// everything that they say before it is signed.
struct SoftwareAuthenticator: Sendable {
    static let site = RelyingParty(
        id: "fave.example", name: "Fave",
        origins: ["https://fave.example", "https://www.fave.example"])
    static let userHandle = Array("user-handle-0001".utf8)

    let key: TestKey
    let credentialID: [UInt8]

    init(_ algorithm: Algorithm = .es256) {
        key = .make(algorithm)
        credentialID = (0..<32).map { _ in .random(in: .min ... .max) }
    }

    static func ceremony(_ verification: UserVerification = .preferred) -> Ceremony {
        Ceremony(relyingParty: site, challenge: challenge, userVerification: verification)
    }

    /// Contains bytes whose base64url differs from plain base64, and would need padding.
    static let challenge: [UInt8] = Array(0..<28) + [0xFB, 0xEF, 0xFF, 0xFE]

    /// What the browser and the authenticator say.
    struct Response {
        var type: String
        var challenge = SoftwareAuthenticator.challenge
        /// The challenge as it is written; made from `challenge` if `nil`.
        var challengeText: String?
        var origin = "https://fave.example"
        /// JSON that follows the origin.
        var otherMembers = #","crossOrigin":false"#
        /// The client data as a whole; made from the above if `nil`.
        var clientDataJSON: [UInt8]?

        var relyingPartyID = "fave.example"
        var flags: UInt8
        var counter: UInt32 = 7
        var aaguid: [UInt8] = Array(100..<116)
        var credentialID: [UInt8]
        var publicKey: [UInt8]
        /// What follows the key, or the counter if there is no key.
        var trailing: [UInt8] = []

        var format = "none"
        var statement = CBOR.emptyMap
        var userHandle: [UInt8]? = SoftwareAuthenticator.userHandle

        var clientData: [UInt8] {
            if let clientDataJSON { return clientDataJSON }
            let challenge = challengeText ?? Data(challenge).base64URL
            let text =
                #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)""#
                + otherMembers + "}"
            return Array(text.utf8)
        }

        var authenticatorData: [UInt8] {
            var data = Array(SHA256.hash(data: Array(relyingPartyID.utf8)))
            data += [flags] + counter.bigEndianBytes
            if flags & 0x40 != 0 {
                data += aaguid + UInt16(credentialID.count).bigEndianBytes + credentialID
                data += publicKey
            }
            return data + trailing
        }

        var attestationObject: [UInt8] {
            CBOR.map([
                (CBOR.text("fmt"), CBOR.text(format)), (CBOR.text("attStmt"), statement),
                (CBOR.text("authData"), CBOR.bytes(authenticatorData)),
            ])
        }
    }

    func creation(_ change: (inout Response) -> Void = { _ in }) -> Response {
        // UP, UV and AT.
        var response = Response(
            type: "webauthn.create", flags: 0x45, credentialID: credentialID, publicKey: key.cose)
        change(&response)
        return response
    }

    func request(_ change: (inout Response) -> Void = { _ in }) -> Response {
        // UP and UV.
        var response = Response(
            type: "webauthn.get", flags: 0x05, credentialID: credentialID, publicKey: key.cose)
        change(&response)
        return response
    }

    func register(_ change: (inout Response) -> Void = { _ in }) -> Registration {
        let response = creation(change)
        return Registration(
            clientDataJSON: response.clientData, attestationObject: response.attestationObject)
    }

    /// - Parameters:
    ///   - key: The key that signs, if it is not the credential's.
    ///   - tamper: Changes the signature.
    func assert(
        _ change: (inout Response) -> Void = { _ in }, signedBy key: TestKey? = nil,
        tamper: (inout [UInt8]) -> Void = { _ in }
    ) -> Assertion {
        let response = request(change)
        var signature = signature(for: response, by: key)
        tamper(&signature)
        return Assertion(
            credentialID: response.credentialID, clientDataJSON: response.clientData,
            authenticatorData: response.authenticatorData, signature: signature,
            userHandle: response.userHandle)
    }

    func signature(for response: Response, by key: TestKey? = nil) -> [UInt8] {
        (key ?? self.key).sign(
            response.authenticatorData + SHA256.hash(data: response.clientData))
    }

    /// The credential as a site would store it.
    func stored(counter: UInt32 = 6) -> StoredCredential {
        StoredCredential(
            id: credentialID, publicKey: key.cose, signatureCounter: counter,
            userHandle: Self.userHandle)
    }
}

extension Data {
    /// RFC 4648 section 5, without padding.
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}

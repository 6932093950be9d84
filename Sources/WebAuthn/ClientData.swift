import Encodings
import JSON

/// The browser's statement about a ceremony, section 5.8.1. The authenticator signs its hash.
struct ClientData: Sendable {
    /// Several times what browsers write, even with members of later specifications.
    static let maximumByteCount = 8192
    /// The section "Cryptographic Challenges" asks for at least 16 bytes. A shorter challenge, or
    /// none, could only be expected by mistake.
    static let minimumChallengeLength = 16

    enum Kind: String, Sendable {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    private let type: String
    private let challenge: String
    private let origin: String
    private let isCrossOrigin: Bool
    private let tokenBindingStatus: String?

    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        // "UTF-8 decode" strips a byte order mark.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        guard bytes.count <= Self.maximumByteCount, let json = try? JSONParser.parse(text),
            let type = json["type"]?.text, let challenge = json["challenge"]?.text,
            let origin = json["origin"]?.text
        else { throw .malformedClientData }
        switch json["crossOrigin"] {
        case nil: isCrossOrigin = false
        case .bool(let value): isCrossOrigin = value
        default: throw .malformedClientData
        }
        switch json["tokenBinding"] {
        case nil: tokenBindingStatus = nil
        case .object(let binding):
            guard let status = binding["status"]?.text else { throw .malformedClientData }
            tokenBindingStatus = status
        default: throw .malformedClientData
        }
        self.type = type
        self.challenge = challenge
        self.origin = origin
    }

    // MARK: Steps that both ceremonies have

    func check(_ kind: Kind) throws(WebAuthnError) {
        guard type == kind.rawValue else { throw .wrongCeremony }
    }

    func check(challenge expected: [UInt8]) throws(WebAuthnError) {
        guard expected.count >= Self.minimumChallengeLength,
            Self.areEqual(Array(challenge.utf8), Array(Base64URL.encode(expected).utf8))
        else { throw .challengeMismatch }
    }

    /// Refuses a ceremony within a frame of another site, too: none of our pages is meant to be in
    /// one, and the signature would not say which site it was.
    func check(origins: [String]) throws(WebAuthnError) {
        guard origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) else {
            throw .originMismatch
        }
        guard !isCrossOrigin else { throw .crossOrigin }
    }

    /// We never negotiate Token Binding (RFC 8471), so a browser that used it talked to another
    /// server. Section 5.8.1 says that an unknown status is to be ignored.
    func checkTokenBinding() throws(WebAuthnError) {
        guard tokenBindingStatus != "present" else { throw .tokenBinding }
    }

    /// Takes the same time for all texts of the same length.
    private static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

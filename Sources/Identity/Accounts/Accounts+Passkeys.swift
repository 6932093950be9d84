import Crypto
public import FaveGames
public import Foundation
import Storage
import StorageWrites
public import WebAuthn

/// A challenge for a passkey to sign. The browser carries it in the meantime.
public struct PasskeyChallenge: Sendable {
    /// How long it is valid, in seconds.
    public static let lifetime = 300

    /// 32 random bytes.
    public let bytes: [UInt8]
    /// The user's confirmation before they add a passkey; `nil` for a sign-in.
    public let confirmation: Confirmation?
    let expiresAt: Date

    init(for confirmation: Confirmation? = nil) {
        bytes = SecretToken().bytes
        self.confirmation = confirmation
        expiresAt = Date() + TimeInterval(Self.lifetime)
    }

    /// - Returns: `nil` if the text is not one that `text` made, or is too old.
    public init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let seconds = Int(parts[0]),
            case let end = Date(timeIntervalSince1970: TimeInterval(seconds)), end > Date(),
            let bytes = Data(base64Encoded: String(parts[2])), bytes.count == 32
        else { return nil }
        self.bytes = Array(bytes)
        confirmation = Confirmation(text: parts[1])
        guard confirmation != nil || parts[1].isEmpty else { return nil }
        expiresAt = end
    }

    /// To be signed before a browser carries it.
    public var text: String {
        "\(Int(expiresAt.timeIntervalSince1970)) \(confirmation?.text ?? "") "
            + Data(bytes).base64EncodedString()
    }

    var digest: [UInt8] { Array(SHA256.hash(data: bytes)) }
}

// Passkeys: WebAuthn Level 2, with credentials that the authenticator discovers.
extension Accounts {
    /// The largest number of passkeys that a user can have.
    public static let passkeyLimit = 20

    /// A passkey is all that someone signs in with, so the authenticator must know who holds it.
    private func ceremony(_ site: RelyingParty, _ challenge: PasskeyChallenge) -> Ceremony {
        Ceremony(relyingParty: site, challenge: challenge.bytes, userVerification: .required)
    }

    /// The challenge and options that a browser needs to create a passkey.
    ///
    /// - Parameter password: Must be correct if the account has a password.
    public func beginPasskey(
        of bearer: Bearer, password: String, at site: RelyingParty, from address: String
    ) async throws -> (challenge: PasskeyChallenge, options: CreationOptions) {
        let user = bearer.user
        let challenge = PasskeyChallenge(for: try await confirm(bearer, password, from: address))
        return (
            challenge,
            CreationOptions(
                ceremony: ceremony(site, challenge),
                user: UserEntity(
                    id: user.id.bytes, name: user.username, displayName: user.displayName),
                excludedCredentials: try await store.credentialIDs(userID: user.id),
                timeout: PasskeyChallenge.lifetime * 1000)
        )
    }

    /// Adds the passkey that a browser has made.
    ///
    /// - Throws: `AccountError.newPasskeyRefused`, `passkeyKnown`, `tooManyPasskeys`, `signInNeeded` or
    ///   `changedMeanwhile`.
    public func addPasskey(
        _ registration: Registration, named name: TokenName, to bearer: Bearer,
        respondingTo challenge: PasskeyChallenge, at site: RelyingParty
    ) async throws {
        guard let confirmation = challenge.confirmation, confirmation.isOf(bearer) else {
            throw AccountError.newPasskeyRefused(.challengeMismatch)
        }
        let made: NewCredential
        do throws(WebAuthnError) {
            made = try registration.verify(ceremony(site, challenge))
        } catch {
            throw AccountError.newPasskeyRefused(error)
        }
        let outcome = try await write(confirmation) {
            try await store.addPasskey(
                credentialID: made.id, publicKey: made.publicKey,
                counter: Int(made.signatureCounter), name: name.text, limit: Self.passkeyLimit,
                confirmedBy: $0)
        }
        switch outcome {
        case .added: return
        case .isKnown: throw AccountError.passkeyKnown
        case .tooMany: throw AccountError.tooManyPasskeys
        }
    }

    /// The challenge and options that a browser needs to sign in with a passkey.
    public func beginPasskeySignIn(
        at site: RelyingParty
    ) -> (challenge: PasskeyChallenge, options: RequestOptions) {
        let challenge = PasskeyChallenge()
        return (
            challenge,
            RequestOptions(
                ceremony: ceremony(site, challenge), timeout: PasskeyChallenge.lifetime * 1000)
        )
    }

    /// Signs in someone with a passkey.
    ///
    /// - Throws: `AccountError.passkeyRefused` or `passkeyUnknown`.
    public func signIn(
        _ assertion: Assertion, respondingTo challenge: PasskeyChallenge, at site: RelyingParty,
        from address: String
    ) async throws -> Proof {
        try await attempt(from: address)
        guard challenge.confirmation == nil else {
            throw AccountError.passkeyRefused(.challengeMismatch)
        }
        guard let passkey = try await store.passkey(credentialID: assertion.credentialID) else {
            throw AccountError.passkeyUnknown
        }
        let verified: VerifiedAssertion
        do throws(WebAuthnError) {
            verified = try assertion.verify(
                ceremony(site, challenge),
                credential: StoredCredential(
                    id: assertion.credentialID, publicKey: passkey.publicKey,
                    signatureCounter: UInt32(clamping: passkey.counter),
                    userHandle: passkey.user.id.bytes))
        } catch {
            throw AccountError.passkeyRefused(error)
        }
        try await refuseDisabled(passkey.user)
        let isFirst = try await store.usePasskey(
            id: passkey.id, counter: Int(verified.signatureCounter), challenge: challenge.digest,
            lifetime: PasskeyChallenge.lifetime)
        guard isFirst else { throw AccountError.passkeyRefused(.challengeMismatch) }
        try await forgiveFrom(address)
        return Proof(user: passkey.user, means: .passkey(id: passkey.id))
    }

    /// - Parameter issuers: The issuers of the providers that people can sign in with.
    public func removePasskey(
        _ id: UUID, from user: User, issuers: [String]
    ) async throws {
        let isRemoved = try await store.removePasskey(
            id: id, of: user.id, countsPassword: policy.hasLocalAccounts, issuers: issuers)
        guard isRemoved else { throw AccountError.lastIdentity }
    }
}

extension UUID {
    /// The user handle: it says nothing about the user that their address of the API doesn't.
    fileprivate var bytes: [UInt8] { unsafe withUnsafeBytes(of: uuid) { unsafe Array($0) } }
}

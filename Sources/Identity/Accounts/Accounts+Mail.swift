import Attempts
public import FaveGames
import Storage
import StorageWrites

// Email addresses, and recovering an account by email. Only for sites with a mail server.
extension Accounts {
    /// How long the link that confirms an address is valid, in hours.
    static let verificationHours = 24

    /// Stores an address for a user, and sends it a link for confirming it.
    ///
    /// - Parameter password: Must be correct if the account has a password, because the address
    ///   lets its owner set a new one.
    /// - Throws: `AccountError.noMail`, and what `confirm` throws; `AccountError.changedMeanwhile`.
    public func addMailAddress(
        _ mail: MailAddress, to bearer: Bearer, password: String, from address: String
    ) async throws {
        guard policy.hasMail else { throw AccountError.noMail }
        let confirmation = try await confirm(bearer, password, needsSession: true, from: address)
        try await attempts.count(.mail(bearer.user.id), policy.mailsPerUser)
        // No address gets too many of these emails, no matter how many people ask for them. The
        // limit is not reported, because it would reveal that others have asked.
        let isWelcome = try await store.attempt(
            attempts.digest(of: .mailTo(mail.canonical)), limit: policy.mailsPerAddress)
        guard isWelcome == nil else { return }
        try await write(confirmation) {
            try await store.addMailAddress(mail, hours: Self.verificationHours, confirmedBy: $0)
        }
    }

    /// Removes a user's address.
    ///
    /// - Parameter password: Must be correct if the account has a password.
    /// - Throws: What `confirm` throws; `AccountError.changedMeanwhile`.
    public func removeMailAddress(
        of bearer: Bearer, password: String, from address: String
    ) async throws {
        try await write(confirm(bearer, password, needsSession: true, from: address)) {
            try await store.removeMailAddress(confirmedBy: $0)
        }
    }

    /// The user and the address that a link confirms.
    ///
    /// - Throws: `AccountError.mailLinkInvalid`.
    public func mailVerification(
        _ link: String, from address: String
    ) async throws -> (username: String, address: String) {
        try await attempt(from: address)
        guard let token = SecretToken(link),
            let found = try await store.mailVerification(tokenHash: token.hash)
        else { throw AccountError.mailLinkInvalid }
        try await forgiveFrom(address)
        return found
    }

    /// Confirms the address that a link was sent to.
    ///
    /// - Throws: `AccountError.mailLinkInvalid`.
    public func confirmMailAddress(_ link: String, from address: String) async throws {
        try await attempt(from: address)
        guard let token = SecretToken(link),
            try await store.confirmMailAddress(tokenHash: token.hash)
        else { throw AccountError.mailLinkInvalid }
        try await forgiveFrom(address)
    }

    /// Sends a link to set a new password to the address of an account, if the account and its
    /// address exist.
    ///
    /// Does the same work in either case: only the queue's sender looks up the account, later.
    ///
    /// - Parameter account: A username or an address.
    public func sendReset(of account: String, from address: String) async throws {
        guard policy.hasMail, policy.hasLocalAccounts else { throw AccountError.noMail }
        let canonical =
            MailAddress(account)?.canonical ?? Username(account)?.description
            ?? String(
                account.unicodeScalars.prefix(MailAddress.limit).filter(\.isASCII).map(
                    Character.init))
        try await attempts.count(from: address, policy.resetsPerAddress) { .resetFrom($0) }
        try await attempts.count(.reset(canonical), policy.resetsPerAccount)
        try await store.queueReset(of: canonical)
    }
}

public import FaveGames
import Foundation
import Identity
import Mail
import Storage
import StorageWrites

/// The values of a site that go into its mail.
public struct MailSite: Sendable {
    public let identity: SiteIdentity
    /// The site's address, without a slash at its end.
    public let publicURL: String
    public let from: Mailbox

    public init(_ identity: SiteIdentity, publicURL: String, from: Mailbox) {
        self.identity = identity
        self.publicURL = publicURL
        self.from = from
    }

    /// The people to write to when something is wrong.
    fileprivate var operators: String {
        let operators = "the people who run the site"
        return identity.contact.map { "\(operators) (\($0.text))" } ?? operators
    }
}

/// Writes the mail that is queued.
extension MailQueue {
    /// - Returns: `nil` if there is no one to write to, or if there is no longer anything to say.
    func message(about mail: QueuedMail) async throws -> MailMessage? {
        switch mail.kind {
        case .verify: try await verification(mail)
        case .reset: try await reset(mail)
        case .address:
            notice(
                mail, "Your email address was removed",
                """
                This address is no longer used for your account: someone who is signed in to it, or \
                has a recovery code, has replaced or removed it. If that wasn’t you, write to \
                \(site.operators).
                """)
        case .deleted:
            notice(
                mail, "Your account was deleted",
                """
                The account that this address was used for has been deleted, with everything in it. \
                If that wasn’t you, write to \(site.operators).
                """)
        case .reports: try await reports(mail)
        case .password: try await change(mail, "A password was set for your account")
        case .passkeyAdded: try await change(mail, "A passkey was added to your account")
        case .passkeyRemoved: try await change(mail, "A passkey was removed from your account")
        case .identityAdded:
            try await change(mail, "A sign-in with another site was connected to your account")
        case .identityRemoved:
            try await change(mail, "A sign-in with another site was disconnected from your account")
        case .codes: try await change(mail, "New recovery codes were created for your account")
        case .tokenAdded: try await change(mail, "An API token was created for your account")
        case .tokenRemoved: try await change(mail, "An API token of your account was revoked")
        case .webhook:
            try await change(
                mail, "The changes in one of your circles are now sent to another address")
        }
    }

    private func verification(_ mail: QueuedMail) async throws -> MailMessage? {
        guard let userID = mail.userID,
            let recipient = try await store.verificationRecipient(userID: userID)
        else { return nil }
        let token = SecretToken()
        // The owner of one address must not get the link for another one.
        guard
            try await store.addVerification(
                userID: userID, address: recipient.address, tokenHash: token.hash)
        else { return nil }
        return message(
            to: recipient.address, "Confirm your email address",
            """
            Hello @\(recipient.username),

            Open this link within a day to use this address for your account:

            \(site.publicURL)/mail/confirm?token=\(token.text)

            If you didn’t ask for this, ignore this email: nothing will happen.
            """)
    }

    private func reset(_ mail: QueuedMail) async throws -> MailMessage? {
        let recipients = try await store.resetRecipients(of: mail.subject)
        guard let first = recipients.first else { return nil }
        var links: [String] = []
        // Only its own server knows whether another spelling of the address is the same.
        for recipient in recipients where recipient.address == first.address {
            let token = SecretToken()
            let isAdded = try await store.addReset(
                to: recipient, tokenHash: token.hash, lifetime: Accounts.resetLifetime)
            guard isAdded else { continue }
            links.append(
                "@\(recipient.username): \(site.publicURL)/sign-in/reset?token=\(token.text)")
        }
        guard !links.isEmpty else { return nil }
        return message(
            to: first.address, "Set a new password",
            """
            Hello,

            To set a new password, open this link within an hour. It works once.

            \(links.joined(separator: "\n\n"))

            If you didn’t ask for this, ignore this email: your password stays as it is.
            """)
    }

    /// Says how much waits, and not what: the text may be illegal.
    private func reports(_ mail: QueuedMail) async throws -> MailMessage? {
        guard let userID = mail.userID else { return nil }
        // In two steps: the optimizer crashes on a guard that also awaits.
        let found = try await store.reportMail(userID: userID)
        guard let (recipient, cases) = found else { return nil }
        let waiting = cases == 1 ? "A report is waiting" : "\(cases) reports are waiting"
        return message(
            to: recipient.address, waiting,
            """
            Hello @\(recipient.username),

            There is something new to look at:

            \(site.publicURL)/moderation

            That page is also where you turn these emails off.
            """)
    }

    /// Reports a change of a sign-in method.
    private func change(_ mail: QueuedMail, _ what: String) async throws -> MailMessage? {
        guard let userID = mail.userID, let user = try await store.user(id: userID) else {
            return nil
        }
        return notice(
            mail, what,
            """
            \(what). If that wasn’t you, set a new password: that removes \
            every other way in, and signs everyone else out.

            \(site.publicURL)/sign-in/forgot
            """, to: user.username)
    }

    /// - Parameter username: The recipient's, if they still have an account.
    private func notice(
        _ mail: QueuedMail, _ subject: String, _ text: String, to username: String? = nil
    ) -> MailMessage? {
        let greeting = username.map { "Hello @\($0)," } ?? "Hello,"
        return MailAddress(mail.subject).map {
            message(to: $0, subject, "\(greeting)\n\n\(text)")
        }
    }

    /// Each attempt is a message of its own: its text may differ, so a mail program should not
    /// treat the second one as a duplicate.
    private func message(
        to address: MailAddress, _ subject: String, _ text: String
    ) -> MailMessage {
        let host = site.publicURL.trimmingPrefix("https://").trimmingPrefix("http://")
        return MailMessage(
            id: UUID(), date: Date(), from: site.from, to: address,
            subject: "\(subject) (\(host))",
            text: "\(text)\n\n-- \n\(site.identity.name)\n\(site.publicURL)\n")
    }
}

public import FaveGames
import Foundation
import Identity
package import Languages
import Mail
import Storage
import StorageWrites
import Views

/// The values of a site that go into its mail.
public struct MailSite: Sendable {
    public let identity: SiteIdentity
    /// The site's address, without a slash at its end.
    public let publicURL: String
    public let from: Mailbox
    let languages: OfferedLanguages

    package init(
        _ identity: SiteIdentity, publicURL: String, from: Mailbox,
        languages: OfferedLanguages = OfferedLanguages()
    ) {
        self.identity = identity
        self.publicURL = publicURL
        self.from = from
        self.languages = languages
    }

    /// What to do when something is wrong.
    fileprivate var writeToOperators: Words {
        identity.contact.map { .mailWriteToOperators(at: $0.text) } ?? .mailWriteToOperators
    }
}

/// Writes the mail that is queued: in the language of the account, or in the site's if the account or the
/// address was removed.
extension MailQueue {
    /// - Returns: `nil` if there is no one to write to, or if there is no longer anything to say.
    func message(about mail: QueuedMail) async throws -> MailMessage? {
        switch mail.kind {
        case .verify: try await verification(mail)
        case .reset: try await reset(mail)
        case .address:
            notice(mail, .mailAddressRemoved, .mailAddressRemovedText)
        case .deleted:
            notice(mail, .mailAccountDeleted, .mailAccountDeletedText)
        case .reports: try await reports(mail)
        case .password: try await change(mail, .mailPasswordSet)
        case .passkeyAdded: try await change(mail, .mailPasskeyAdded)
        case .passkeyRemoved: try await change(mail, .mailPasskeyRemoved)
        case .identityAdded: try await change(mail, .mailIdentityAdded)
        case .identityRemoved: try await change(mail, .mailIdentityRemoved)
        case .codes: try await change(mail, .mailCodesCreated)
        case .tokenAdded: try await change(mail, .mailTokenAdded)
        case .tokenRemoved: try await change(mail, .mailTokenRemoved)
        case .webhook: try await change(mail, .mailWebhookSet)
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
            to: recipient.address, in: try await language(of: userID), .mailConfirm,
            [
                .mailHello(recipient.username), .mailConfirmLink,
                link("/mail/confirm?token=\(token.text)"), .mailConfirmIgnore,
            ])
    }

    private func reset(_ mail: QueuedMail) async throws -> MailMessage? {
        let recipients = try await store.resetRecipients(of: mail.subject)
        guard let first = recipients.first else { return nil }
        var links: [Words] = []
        // Only its own server knows whether another spelling of the address is the same.
        for recipient in recipients where recipient.address == first.address {
            let token = SecretToken()
            let isAdded = try await store.addReset(
                to: recipient, tokenHash: token.hash, lifetime: Accounts.resetLifetime)
            guard isAdded else { continue }
            links.append(
                Words(
                    name:
                        "@\(recipient.username): \(site.publicURL)/sign-in/reset?token=\(token.text)"
                ))
        }
        guard !links.isEmpty else { return nil }
        return message(
            to: first.address, in: try await language(of: first.userID), .mailReset,
            [.mailHello, .mailResetLink] + links + [.mailResetIgnore])
    }

    /// Says how much waits, and not what: the text may be illegal.
    private func reports(_ mail: QueuedMail) async throws -> MailMessage? {
        guard let userID = mail.userID else { return nil }
        // In two steps: the optimizer crashes on a guard that also awaits.
        let found = try await store.reportMail(userID: userID)
        guard let (recipient, cases) = found else { return nil }
        return message(
            to: recipient.address, in: try await language(of: userID), .mailReports(cases),
            [
                .mailHello(recipient.username), .mailReportsLink, link("/moderation"),
                .mailReportsOff,
            ])
    }

    /// Reports a change of a sign-in method.
    private func change(_ mail: QueuedMail, _ what: Words) async throws -> MailMessage? {
        guard let userID = mail.userID, let user = try await store.user(id: userID),
            let address = MailAddress(mail.subject)
        else { return nil }
        return message(
            to: address, in: site.languages.language(ofAccount: user.language), what,
            [.mailHello(user.username), .mailSetPassword(what), link("/sign-in/forgot")])
    }

    /// The mail to a former address, or to the owner of a deleted account.
    private func notice(
        _ mail: QueuedMail, _ subject: Words, _ text: Words
    ) -> MailMessage? {
        guard let address = MailAddress(mail.subject) else { return nil }
        return message(
            to: address, in: site.languages.site, subject,
            [.mailHello, .sentences([text, site.writeToOperators])])
    }

    private func link(_ path: String) -> Words { Words(name: site.publicURL + path) }

    private func language(of userID: UUID) async throws -> Language {
        guard site.languages.areSeveral else { return site.languages.site }
        return site.languages.language(ofAccount: try await store.user(id: userID)?.language)
    }

    /// Each attempt is a message of its own: its text may differ, so a mail program should not
    /// treat the second one as a duplicate.
    private func message(
        to address: MailAddress, in language: Language, _ subject: Words, _ paragraphs: [Words]
    ) -> MailMessage {
        let host = site.publicURL.trimmingPrefix("https://").trimmingPrefix("http://")
        let text = paragraphs.map { $0.string(in: language) }.joined(separator: "\n\n")
        return MailMessage(
            id: UUID(), date: Date(), from: site.from, to: address,
            subject: "\(subject.string(in: language)) (\(host))",
            text: "\(text)\n\n-- \n\(site.identity.name)\n\(site.publicURL)\n")
    }
}

import FaveGames
import Mail
import Outbox

/// The mail server, and who mail is from.
struct MailSettings: Sendable {
    let server: SMTPServer
    let from: Mailbox

    /// - Returns: `nil` if no mail is sent.
    init?(_ reader: SettingsReader) throws(SettingError) {
        let settings = Settings.mail
        guard try reader.uses(settings, needing: settings.url, settings.from),
            let url = try reader.value(settings.url), let from = try reader.value(settings.from)
        else { return nil }
        let user = try reader.value(settings.user)
        let password = try reader.value(settings.password)
        let authorities = try reader.value(settings.authorities)
        guard let mailbox = Mailbox(from) else {
            throw SettingError(
                settings.from, from,
                mustBe: "an address, or a name and an address, like Couch Club <games@fave.example>"
            )
        }
        self.from = mailbox
        do throws(SMTPServerError) {
            server = try SMTPServer(
                url, user: user, password: password, certificateAuthorities: authorities)
        } catch {
            throw SettingError(error.description)
        }
    }
}

extension WebhookSettings {
    init(_ reader: SettingsReader) throws(SettingError) {
        let settings = Settings.webhooks
        let address = try reader.value(settings.moderationURL)
        let secret = try reader.value(settings.moderationSecret)
        let networks = try reader.value(settings.networks)
        switch (address, secret) {
        case (let address?, let secret?):
            self.init(moderators: (address, secret), networks: networks)
        case (nil, nil): self.init(moderators: nil, networks: networks)
        case (_?, nil):
            throw SettingError(
                "\(settings.moderationURL.name) is set, but \(settings.moderationSecret.name) is not."
            )
        case (nil, _?):
            throw SettingError(
                "\(settings.moderationSecret.name) is set, but \(settings.moderationURL.name) is not."
            )
        }
    }
}

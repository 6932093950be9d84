import FaveGames
import Identity

/// Where webhooks are sent.
struct WebhookSettings: Sendable {
    /// The webhook for moderators; `nil` if there is none.
    let moderators: (address: WebhookAddress, secret: WebhookSecret)?
    /// Where those of circles may lead.
    let networks: WebhookNetworks

    init(_ reader: SettingsReader) throws(SettingError) {
        let settings = Settings.webhooks
        let address = try reader.value(settings.moderationURL)
        let secret = try reader.value(settings.moderationSecret)
        networks = try reader.value(settings.networks)
        switch (address, secret) {
        case (let address?, let secret?): moderators = (address, secret)
        case (nil, nil): moderators = nil
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

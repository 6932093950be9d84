import FaveGames
import Mail

/// The mail server, and who mail is from.
struct MailSettings: Sendable {
    let server: SMTPServer
    let from: Mailbox

    /// - Returns: `nil` if no mail is sent.
    init?(_ reader: SettingsReader) throws(SettingError) {
        let settings = Settings.mail
        let from = try reader.value(settings.from)
        let user = try reader.value(settings.user)
        let password = try reader.value(settings.password)
        let authorities = try reader.value(settings.authorities)
        guard let url = try reader.value(settings.url) else {
            let others = [
                (settings.from.name, from), (settings.user.name, user),
                (settings.password.name, password), (settings.authorities.name, authorities),
            ]
            if let (name, _) = others.first(where: { $0.1 != nil }) {
                throw SettingError("\(name) is set, but \(settings.url.name) is not.")
            }
            return nil
        }
        guard let from else {
            throw SettingError(
                "\(settings.url.name) and \(settings.from.name) must be set together.")
        }
        guard let mailbox = Mailbox(from) else {
            throw SettingError(
                """
                \(settings.from.name) is "\(from)"; it must be an address, or a name and an address, \
                like Fave Games <games@fave.example>.
                """)
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

import ArgumentParser
import FaveGames
import Foundation
import Mail
import Sockets

struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Try out the mail server.",
        subcommands: [TestMailCommand.self])
}

struct TestMailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a mail to an address, and say what the mail server responds.",
        discussion: "Uses SMTP_URL, SMTP_FROM and the other settings of mail, as fave-server does.")

    @Argument(help: "The address to send it to.")
    var address: String

    func run() async throws {
        let reader = SettingsReader()
        guard let mail = try MailSettings(reader) else {
            throw OperatorError("SMTP_URL is not set, so no mail is sent.")
        }
        guard let recipient = MailAddress(address) else {
            throw OperatorError("\"\(address)\" is not an address of mail.")
        }
        let site = try ServerSettings.web(reader).publicURL
        let message = MailMessage(
            id: UUID(), date: Date(), from: mail.from, to: recipient,
            subject: "A test of mail from \(site)",
            text: "Hello,\n\nIf you can read this, mail from \(site) arrives.\n")
        let loop = try EventLoop(name: "mail")
        defer { loop.stop() }
        let client = SMTPClient(mail.server, on: loop)
        do {
            try await Task(executorPreference: loop) { try await client.send(message) }.value
        } catch let error as SMTPError {
            throw OperatorError(
                "\(mail.server): \(error.description) (\(error.debugDescription))")
        }
        print("\(mail.server) has accepted the mail to \(recipient).")
    }
}

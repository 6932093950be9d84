import ArgumentParser
import FaveGames
import Foundation
import HTTPClient
import HTTPTypes
import Mail
import Outbox
import Sockets
import Web

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
            throw OperatorError("\"\(address)\" is not an email address.")
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

struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Try out the moderators' webhook.",
        subcommands: [TestWebhookCommand.self])
}

struct TestWebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a test to the moderators' webhook, and say what its server responds.",
        discussion:
            "Uses MODERATION_WEBHOOK_URL and MODERATION_WEBHOOK_SECRET, as fave-server does.")

    func run() async throws {
        let reader = SettingsReader()
        guard let (address, secret) = try WebhookSettings(reader).moderators else {
            throw OperatorError("MODERATION_WEBHOOK_URL is not set, so moderators are not told.")
        }
        let site = try ServerSettings.web(reader).addresses
        let webhook = SignedWebhook(
            to: address, id: UUID(), body: WebhookEvents.test(for: site), secret: secret,
            networks: .any)
        let loop = try EventLoop(name: "webhook")
        defer { loop.stop() }
        let client = HTTPClient(on: loop)
        let result = await Task(executorPreference: loop) {
            let result: Result<ClientResponse, HTTPClientError>
            do throws(HTTPClientError) {
                result = .success(try await client.send(webhook.request))
            } catch {
                result = .failure(error)
            }
            await client.close()
            return result
        }.value
        switch result {
        case .success(let response):
            let words = OneLine.clean(String(decoding: response.body.prefix(500), as: UTF8.self))
            let answer =
                "\(address.host) responds with \(response.status.code)"
                + (words.isEmpty ? "." : ": \(words)")
            guard response.status.kind == .successful else { throw OperatorError(answer) }
            print(answer)
        case .failure(let error):
            throw OperatorError("\(address.host): \(error.description) (\(error.debugDescription))")
        }
    }
}

import FaveGames
import Foundation
import Mail
import TestSupport
import Testing

@Suite("Sending mail", .blocking, .thorough)
struct SMTPClientTests {
    private static func message(
        to: String = "jane@example.org", subject: String = "Hello", text: String = "Hello\n"
    ) throws -> MailMessage {
        MailMessage(
            id: UUID(), date: Date(), from: try #require(Mailbox("Fave Games <games@example.com>")),
            to: try #require(MailAddress(to)), subject: subject, text: text)
    }

    @Test("hands a message to a relay without TLS")
    func plain() async throws {
        let server = try MailServer()
        try await SMTPFixture.run(try server.withoutTLS()) { try await $0.send(Self.message()) }
        let message = try await server.message()
        #expect(message.sender == "games@example.com")
        #expect(message.recipients == ["jane@example.org"])
        #expect(!message.isEncrypted)
        #expect(server.commands.elements.first == "EHLO example.com")
        try await eventually("QUIT") { server.commands.elements.last == "QUIT" }
    }

    @Test("encrypts with STARTTLS, and authenticates after it")
    func startTLS() async throws {
        let server = try MailServer(.startTLS, [.authentication(user: "jané", password: "sé cret")])
        let settings = try server.settings(user: "jané", password: "sé cret")
        try await SMTPFixture.run(settings) { try await $0.send(Self.message()) }
        let message = try await server.message()
        #expect(message.isEncrypted)
        #expect(message.user == "jané")
        let verbs = server.commands.elements.prefix(4).map { $0.prefix { $0 != " " } }
        #expect(verbs == ["EHLO", "STARTTLS", "EHLO", "AUTH"])
    }

    @Test(
        "encrypts from the first byte, by name or by address",
        arguments: ["localhost", "127.0.0.1"])
    func implicitTLS(host: String) async throws {
        let server = try MailServer(.implicit, [.authentication(user: "jane", password: "secret")])
        let settings = try server.settings("smtps", host: host, user: "jane", password: "secret")
        try await SMTPFixture.run(settings) { try await $0.send(Self.message()) }
        let message = try await server.message()
        #expect(message.isEncrypted)
        #expect(message.user == "jane")
    }

    @Test(
        "delivers what was written, in any script and with any lines",
        arguments: [MailServer.Encryption.off, .startTLS])
    func contents(encryption: MailServer.Encryption) async throws {
        let texts = [
            ".", "..\n.\n\n.dot\n", String(repeating: "long ", count: 2000), "no end",
            "a\r\n\r\n\n",
            "Grüße, 日本語 🎮\n= =3D =\n \t\n", String(repeating: "é", count: 5000),
            "\nFrom someone\nQUIT\n.\nMAIL FROM:<x@y.example>\n",
            // More than fits into the buffers of a socket.
            String(repeating: "0123456789abcdef 0123456789abcdef\n", count: 30_000),
        ]
        let subject = "Grüße von 日本 🎮: \"" + String(repeating: "Spieleliste ", count: 20) + "\""
        let server = try MailServer(encryption)
        let settings = try encryption == .off ? server.withoutTLS() : server.settings()
        try await SMTPFixture.run(settings) { fixture in
            for (number, text) in texts.enumerated() {
                try await fixture.send(Self.message(subject: subject, text: text))
                try await eventually { server.messages.count == number + 1 }
                let message = server.messages.elements[number]
                let expected = text.replacing("\r\n", with: "\n")
                let received = message.text.replacing("\r\n", with: "\n")
                let isSame = received == (expected.hasSuffix("\n") ? expected : expected + "\n")
                #expect(isSame, "text \(number)")
                #expect(message.defects == [])
                #expect(message["Subject"] == subject)
                #expect(message["Auto-Submitted"] == "auto-generated")
            }
        }
    }

    @Test(
        "delivers the sender's name in any script",
        arguments: ["Fave Games", "Spieleliste für 日本 🎮", "O'Neil, \\ (x) @", "=?utf-8?Q?x?="])
    func names(name: String) async throws {
        let server = try MailServer()
        let address = try #require(MailAddress("games@example.com"))
        let mailbox = Mailbox(address, name: DisplayName(name))
        let message = MailMessage(
            id: UUID(), date: Date(), from: mailbox,
            to: try #require(MailAddress("jane@example.org")), subject: "x", text: "x")
        try await SMTPFixture.run(try server.withoutTLS()) { try await $0.send(message) }
        let received = try await server.message()
        #expect(received.fromName == name)
        #expect(received.fromAddress == "games@example.com")
        #expect(received.defects == [])
    }

    @Test("adds no field that a subject asks for")
    func injection() async throws {
        let server = try MailServer()
        try await SMTPFixture.run(try server.withoutTLS()) { fixture in
            let subject = "a\r\nBcc: x@y.example\r\n\r\nbody\r\n.\r\nRCPT TO:<x@y.example>"
            try await fixture.send(Self.message(subject: subject))
        }
        let message = try await server.message()
        #expect(message["Bcc"] == nil)
        #expect(message.fields.count == 9)
        #expect(message["Subject"] == "a Bcc: x@y.example body . RCPT TO:<x@y.example>")
        #expect(message.recipients == ["jane@example.org"])
        #expect(message.text == "Hello\r\n")
    }

    @Test("sends many messages at once")
    func concurrency() async throws {
        let server = try MailServer(.startTLS)
        try await SMTPFixture.run(try server.settings()) { fixture in
            try await onLoop(fixture.loop) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<20 {
                        group.addTask {
                            let message = try Self.message(subject: "\(number)")
                            try await fixture.client.send(message)
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        try await eventually { server.messages.count == 20 }
        let subjects = Set(server.messages.elements.compactMap { $0["Subject"] })
        #expect(subjects == Set((0..<20).map { "\($0)" }))
    }
}

import FaveGames
import Foundation
import Mail
import Sockets
import TestSupport
import Testing

@Suite("Sending mail, when things go wrong,", .blocking, .thorough)
struct SMTPClientFailureTests {
    private static let secret = "correct-horse"

    private static func message(to: String = "jane@example.org") throws -> MailMessage {
        MailMessage(
            id: UUID(), date: Date(), from: try #require(Mailbox("games@example.com")),
            to: try #require(MailAddress(to)), subject: "Hello", text: "the message's text")
    }

    /// Sends a message, and checks that the error gives nothing away.
    private func failure(_ settings: SMTPServer) async throws -> SMTPError? {
        let error = try await SMTPFixture.run(settings) {
            try await $0.failure(of: Self.message())
        }
        for text in [error?.description ?? "", error.debugDescription] {
            #expect(!text.contains(Self.secret))
            #expect(!text.contains("the message's text"))
        }
        return error
    }

    // MARK: TLS

    /// Makes a certificate, and removes it afterwards.
    private static func withCertificate(
        for name: String, _ body: (TestCertificate) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path
        let certificate = try TestCertificate(
            for: [name], in: folder, named: "mail-\(UUID().uuidString)")
        defer {
            try? FileManager.default.removeItem(atPath: certificate.certificatePath)
            try? FileManager.default.removeItem(atPath: certificate.keyPath)
        }
        try await body(certificate)
    }

    @Test("trusts no certificate of an unknown authority", arguments: [true, false])
    func unknownAuthority(isImplicit: Bool) async throws {
        let server = try MailServer(isImplicit ? .implicit : .startTLS)
        let scheme = isImplicit ? "smtps" : "smtp"
        try await Self.withCertificate(for: "localhost") { other in
            let settings = try server.settings(
                scheme, user: "jane", password: Self.secret, trusts: other)
            #expect(try await failure(settings)?.code == .tls)
        }
        // Without a file, only the system's authorities are trusted.
        let url = "\(scheme)://localhost:\(server.port)"
        let system = try SMTPServer(url, user: "jane", password: Self.secret)
        #expect(try await failure(system)?.code == .tls)
        #expect(try await !server.commandsSoFar().contains { $0.hasPrefix("AUTH") })
        #expect(server.messages.count == 0)
    }

    @Test("trusts no certificate for another name", arguments: [true, false])
    func wrongName(isImplicit: Bool) async throws {
        try await Self.withCertificate(for: "other.example") { certificate in
            let server = try MailServer(
                isImplicit ? .implicit : .startTLS, certificate: certificate)
            let settings = try server.settings(
                isImplicit ? "smtps" : "smtp", user: "jane", password: Self.secret,
                trusts: certificate)
            #expect(try await failure(settings)?.code == .tls)
            #expect(try await !server.commandsSoFar().contains { $0.hasPrefix("AUTH") })
            #expect(server.messages.count == 0)
        }
    }

    @Test("sends neither mail nor password where STARTTLS is not offered")
    func downgrade() async throws {
        let server = try MailServer(.off, [.authentication(user: "jane", password: Self.secret)])
        let settings = try server.settings(user: "jane", password: Self.secret)
        #expect(try await failure(settings)?.code == .tls)
        let commands = try await server.commandsSoFar()
        #expect(!commands.isEmpty)
        #expect(commands.allSatisfy { $0.hasPrefix("EHLO") || $0 == "QUIT" })
        #expect(server.messages.count == 0)
    }

    @Test("sends nothing without TLS to a port that should begin with it")
    func noTLS() async throws {
        let server = try MailServer()
        let settings = try server.settings("smtps", user: "jane", password: Self.secret)
        #expect(try await failure(settings)?.code == .tls)
        #expect(try await !server.commandsSoFar().contains { $0.contains("AUTH") })
    }

    // MARK: Authentication

    @Test("tells a wrong password, and keeps it to itself", arguments: [true, false])
    func wrongPassword(isEncrypted: Bool) async throws {
        let server = try MailServer(
            isEncrypted ? .startTLS : .off, [.authentication(user: "jane", password: "other")])
        let settings =
            isEncrypted
            ? try server.settings(user: "jane", password: Self.secret)
            : try server.withoutTLS(user: "jane", password: Self.secret)
        let error = try #require(try await failure(settings))
        #expect(error.code == .authentication)
        #expect(!error.isPermanent)
        #expect(error.debugDescription.contains("535"))
        #expect(!error.debugDescription.contains("wrong"))
        #expect(try await server.commandsSoFar().contains { $0.hasPrefix("AUTH") })
        #expect(server.messages.count == 0)
    }

    @Test("tells that a server takes no password, or wants one")
    func missingAuthentication() async throws {
        let without = try MailServer(.off, [.noAuthentication])
        let settings = try without.withoutTLS(user: "jane", password: Self.secret)
        #expect(try await failure(settings)?.code == .authentication)
        #expect(try await !without.commandsSoFar().contains { $0.hasPrefix("MAIL") })
        let with = try MailServer(.off, [.authentication(user: "jane", password: "x")])
        #expect(try await failure(with.withoutTLS())?.code == .authentication)
    }

    // MARK: Refusals

    @Test("tells what the server may accept later from what it never will")
    func refusals() async throws {
        let server = try MailServer(.off, [.deferring(2), .rejecting("nobody@example.org")])
        try await SMTPFixture.run(try server.withoutTLS()) { fixture in
            for _ in 0..<2 {
                let error = try #require(try await fixture.failure(of: Self.message()))
                #expect(error.code == .refused(.content, reply: 451))
                #expect(!error.isPermanent)
                #expect(error.debugDescription.contains("451 4.7.1"))
            }
            #expect(try await fixture.failure(of: Self.message()) == nil)
            let error = try #require(
                try await fixture.failure(of: Self.message(to: "nobody@example.org")))
            #expect(error.code == .refused(.recipient, reply: 550))
            #expect(error.isPermanent)
            #expect(error.debugDescription.contains("550 5.1.1"))
            #expect(!error.description.contains("5.1.1"))
            // One failure leaves nothing behind that troubles the next.
            #expect(try await fixture.failure(of: Self.message()) == nil)
        }
        try await eventually { server.messages.count == 2 }
    }

    // MARK: The connection

    @Test("tells that nobody listens")
    func unreachable() async throws {
        let port = try UnusedPort()
        let settings = try SMTPServer("smtp://127.0.0.1:\(port.number)?tls=off")
        #expect(try await failure(settings)?.code == .unreachable)
    }

    @Test("tells that the connection was lost after the message")
    func dropped() async throws {
        let server = try MailServer(.off, [.droppingAtContent])
        #expect(try await failure(server.withoutTLS())?.code == .interrupted)
        _ = try await server.message()
    }

    @Test("gives up on a server that never greets, or never replies to the message")
    func timeout() async throws {
        for option in [MailServer.Option.hangingAtConnect, .hangingAtContent] {
            let server = try MailServer(.off, [option])
            try await SMTPFixture.run(try server.withoutTLS()) { fixture in
                let task = Task { try await fixture.failure(of: Self.message()) }
                try await eventually { server.connections.count == 1 }
                if case .hangingAtContent = option { _ = try await server.message() }
                await fixture.clock.advance(by: .seconds(3600), on: fixture.loop)
                #expect(try await value(of: task)?.code == .timedOut)
            }
        }
    }

    // In real time, because libcurl limits it by a clock of its own.
    @Test("gives up sooner while the server has not greeted")
    func connectTimeout() async throws {
        let silent = try MailServer(.off, [.hangingAtConnect])
        var settings = try silent.withoutTLS()
        settings.connectTimeout = .milliseconds(100)
        #expect(try await failure(settings)?.code == .timedOut)
    }

    @Test("does not hold its loop up while a server takes its time")
    func loopGoesOn() async throws {
        let server = try MailServer(.off, [.hangingAtContent])
        try await SMTPFixture.run(try server.withoutTLS()) { fixture in
            let task = Task { try await fixture.failure(of: Self.message()) }
            _ = try await server.message()
            for _ in 0..<10 { try await onLoop(fixture.loop) {} }
            await fixture.client.close()
            #expect(try await value(of: task)?.code == .closed)
            #expect(try await fixture.failure(of: Self.message())?.code == .closed)
        }
    }

    @Test("ends the connection when the task is cancelled, at any stage")
    func cancellation() async throws {
        for option in [MailServer.Option.hangingAtConnect, .hangingAtContent] {
            let server = try MailServer(.off, [option])
            try await SMTPFixture.run(try server.withoutTLS()) { fixture in
                let task = Task(executorPreference: fixture.loop) {
                    try await fixture.client.send(try Self.message())
                }
                try await eventually { server.connections.count == 1 }
                if case .hangingAtContent = option { _ = try await server.message() }
                task.cancel()
                await #expect {
                    try await value(of: task)
                } throws: { error in
                    (error as? SMTPError)?.code == .cancelled
                }
            }
        }
    }

    @Test("sends nothing for a task that was cancelled before")
    func cancelledBefore() async throws {
        let server = try MailServer()
        try await SMTPFixture.run(try server.withoutTLS()) { fixture in
            let task = Task(executorPreference: fixture.loop) { () -> SMTPError.Code? in
                withUnsafeCurrentTask { $0?.cancel() }
                do {
                    try await fixture.client.send(try Self.message())
                    return nil
                } catch {
                    return (error as? SMTPError)?.code
                }
            }
            let code = try await value(of: task)
            #expect(code == .cancelled)
            #expect(try await fixture.failure(of: Self.message()) == nil)
        }
        _ = try await server.message()
        #expect(server.connections.count == 1)
    }

    @Test("forgives a cancellation at any moment")
    func lateCancellation() async throws {
        let server = try MailServer()
        try await SMTPFixture.run(try server.withoutTLS()) { fixture in
            for number in 0..<60 {
                let task = Task(executorPreference: fixture.loop) {
                    try await fixture.client.send(try Self.message())
                }
                // At any moment of the session, so each waits a little longer.
                try await Task.sleep(for: .microseconds(number * 100))
                task.cancel()
                if case .failure(let error) = await task.result {
                    #expect((error as? SMTPError)?.code == .cancelled)
                }
            }
            #expect(try await fixture.failure(of: Self.message()) == nil)
        }
    }
}

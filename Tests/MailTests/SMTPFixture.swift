import FaveGames
import Foundation
import Mail
import Sockets
import TestSupport

/// A client on a loop of its own.
struct SMTPFixture: Sendable {
    let client: SMTPClient
    let loop: EventLoop

    /// - Parameter server: Where the client sends to.
    static func run<Result>(
        _ server: SMTPServer, _ body: (SMTPFixture) async throws -> Result
    ) async throws -> Result {
        // Whatever the surroundings say, the tests talk to this machine.
        setenv("no_proxy", "*", 1)
        return try await withLoop { loop in
            let fixture = SMTPFixture(client: SMTPClient(server, on: loop), loop: loop)
            let result = try await body(fixture)
            await fixture.client.close()
            return result
        }
    }

    func send(_ message: MailMessage) async throws {
        try await onLoop(loop) { try await client.send(message) }
    }

    /// Why a message was not accepted; `nil` if it was.
    func failure(of message: MailMessage) async throws -> SMTPError? {
        do {
            try await send(message)
            return nil
        } catch let error as SMTPError {
            return error
        }
    }
}

extension MailServer {
    /// What its clients set, with its certificate for an authority.
    func settings(
        _ scheme: String = "smtp", host: String = "localhost", query: String = "",
        user: String? = nil, password: String? = nil, trusts certificate: TestCertificate = .shared
    ) throws -> SMTPServer {
        try SMTPServer(
            "\(scheme)://\(host):\(port)\(query)", user: user, password: password,
            certificateAuthorities: certificate.certificatePath)
    }

    /// What its clients set if it knows no TLS.
    func withoutTLS(user: String? = nil, password: String? = nil) throws -> SMTPServer {
        try settings(query: "?tls=off", user: user, password: password)
    }

    /// The one message that it has accepted.
    func message() async throws -> Message {
        try await eventually("a message") { messages.count == 1 }
        return messages.elements[0]
    }
}

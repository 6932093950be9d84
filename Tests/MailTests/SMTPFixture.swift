import FaveGames
import Foundation
import Mail
import Sockets
import TestSupport

/// A client on a loop of its own, whose clock the test can move ahead.
struct SMTPFixture: Sendable {
    let client: SMTPClient
    let loop: EventLoop
    let clock: TestClock

    /// - Parameter server: Where the client sends to.
    static func run<Result>(
        _ server: SMTPServer, _ body: (SMTPFixture) async throws -> Result
    ) async throws -> Result {
        Surroundings.ignoreProxies()
        let clock = TestClock(isRunning: true)
        return try await withLoop(clock) { loop in
            let fixture = SMTPFixture(
                client: SMTPClient(server, on: loop), loop: loop, clock: clock)
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

    /// All that clients have said so far.
    func commandsSoFar() async throws -> [String] {
        // What it records of this client comes behind everything else.
        let client = try RawConnection(port: port)
        if encryption == .implicit { try client.startTLS() }
        let mark = "NOOP \(UUID())"
        try client.send("\(mark)\r\n")
        try await eventually("the mark") { commands.elements.contains(mark) }
        return Array(commands.elements.prefix { $0 != mark })
    }

    /// The one message that it has accepted.
    func message() async throws -> Message {
        try await eventually("a message") { messages.count == 1 }
        return messages.elements[0]
    }
}

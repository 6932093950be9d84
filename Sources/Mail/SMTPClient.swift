public import FaveGames
public import Sockets

/// Hands messages to a mail server (RFC 6409), on an event loop, which it never holds up.
///
/// Each message has a connection of its own, so the caller decides how many there are at once.
public actor SMTPClient {
    private let server: SMTPServer
    private let loop: EventLoop
    private var connections: [ObjectIdentifier: SMTPConnection] = [:]
    private var isClosed = false

    public init(_ server: SMTPServer, on loop: EventLoop) {
        self.server = server
        self.loop = loop
    }

    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.serialExecutor.asUnownedSerialExecutor()
    }

    /// Sends a message. Returns when the server has accepted it and is responsible for it.
    ///
    /// Cancelling the task ends the connection. If the server has just received the last byte, it
    /// may still deliver the message.
    public func send(_ message: MailMessage) async throws(SMTPError) {
        try await connect(from: message.from, handingOver: message)
    }

    /// Connects, with TLS and authentication, and hands over nothing.
    public func check(from sender: Mailbox) async throws(SMTPError) {
        try await connect(from: sender, handingOver: nil)
    }

    private func connect(
        from sender: Mailbox, handingOver message: MailMessage?
    ) async throws(SMTPError) {
        guard !isClosed else { throw SMTPError(.closed) }
        let deadline = loop.now + server.timeout
        let connection = try SMTPConnection(to: server, from: sender.address.domain, on: loop)
        connections[ObjectIdentifier(connection)] = connection
        defer {
            connections[ObjectIdentifier(connection)] = nil
            connection.close()
        }
        try await connection.open(until: deadline)
        if let message { try await connection.deliver(message, until: deadline) }
    }

    /// Closes all connections. Later messages are rejected.
    public func close() {
        isClosed = true
        for connection in connections.values { connection.close() }
    }
}

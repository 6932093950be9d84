/// Why a message was not handed over.
///
/// `description` is safe to show to anyone; `debugDescription` holds the details for the log, without
/// the password, the message's text or the recipient's address.
public struct SMTPError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The last thing that the server had received when it refused.
    public enum Stage: Hashable, Sendable {
        /// Only our host name.
        case connection
        case authentication
        case sender
        case recipient
        /// The announcement of the message, or the whole message.
        case content
    }

    public enum Code: Hashable, Sendable {
        /// The server refused with a reply, which is from 400 to 499 if it may accept later
        /// (RFC 5321 section 4.2.1).
        case refused(Stage, reply: Int)
        /// The name is unknown, or nothing listens at the address.
        case unreachable
        /// The deadline passed. If that was after the last byte, the server may have the message.
        case timedOut
        /// The server does not offer TLS, or its certificate is not valid for its name.
        case tls
        /// The server does not accept the user name and password, or has no way to take them.
        case authentication
        /// The connection was lost, or the server's reply makes no sense. If that was after the
        /// last byte, the server may have the message.
        case interrupted
        /// A required option can't be set, for example because libcurl was built without SMTP.
        case unsupported
        case cancelled
        /// The client was closed.
        case closed
    }

    public let code: Code
    private let detail: String

    init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Whether the server will refuse the same message again, so that it should be given up.
    ///
    /// This is `false` if the server refuses every connection, our sender's address or our password:
    /// its operator or ours can fix that.
    public var isPermanent: Bool {
        switch code {
        case .refused(.recipient, let reply), .refused(.content, let reply): reply >= 500
        default: false
        }
    }

    public var description: String {
        switch code {
        case .refused(.recipient, _) where isPermanent:
            "The mail server does not accept the address."
        case .refused where isPermanent: "The mail server does not accept the message."
        case .refused: "The mail server does not accept mail at the moment."
        case .unreachable: "The mail server cannot be reached."
        case .timedOut: "The mail server did not respond in time."
        case .tls: "The connection to the mail server could not be secured."
        case .authentication: "The mail server does not accept this site's credentials."
        case .interrupted: "The connection to the mail server was lost."
        case .unsupported: "This site cannot send mail."
        case .cancelled: "Sending was cancelled."
        case .closed: "Sending has ended."
        }
    }

    public var debugDescription: String { "SMTP, \(code): \(detail)" }
}

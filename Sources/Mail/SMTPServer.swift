import FaveGames
import Sockets

/// The server that mail is handed to, and how to reach it.
public struct SMTPServer: Sendable, CustomStringConvertible {
    public enum Security: Hashable, Sendable {
        /// Only for a relay on a trusted network.
        case none
        /// TLS begins with STARTTLS (RFC 3207). A server that doesn't offer it gets no mail.
        case startTLS
        /// TLS from the first byte (RFC 8314).
        case implicitTLS
    }

    /// A user name and a password. No description of it has the password.
    struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String

        var description: String { user }
        var customMirror: Mirror { Mirror(self, children: ["user": user]) }
    }

    /// A name, or an IP address without brackets.
    public let host: String
    public let port: Int
    public let security: Security
    let credentials: Credentials?
    /// The path of certificates in PEM: authorities to trust in place of those in the system's
    /// file. `nil` for those of the system.
    public let certificateAuthorities: String?
    /// The time limit for connecting, TLS and authentication.
    public var connectTimeout = Duration.seconds(10)
    /// The time limit for everything, from looking up the name to the last reply.
    public var timeout = Duration.seconds(60)

    /// - Parameter url: `smtp://host[:port]` for STARTTLS, by default at port 587;
    ///   `smtps://host[:port]` for TLS from the start, by default at port 465; or
    ///   `smtp://host:port?tls=off`. An IPv6 address is written in brackets.
    public init(
        _ url: String, user: String? = nil, password: String? = nil,
        certificateAuthorities: String? = nil
    ) throws(SMTPServerError) {
        let parsed = try SMTPURL(url)
        host = parsed.host
        port = parsed.port
        security = parsed.security
        credentials = try Self.credentials(user, password)
        self.certificateAuthorities = certificateAuthorities
        guard credentials == nil || security != .none || isLoopback else {
            throw SMTPServerError.unprotectedCredentials
        }
    }

    private static func credentials(
        _ user: String?, _ password: String?
    ) throws(SMTPServerError) -> Credentials? {
        switch (user, password) {
        case (nil, nil): return nil
        case (let user?, let password?):
            // libcurl would cut either at a NUL, which also ends the user name in SASL's PLAIN.
            guard !user.isEmpty, !password.isEmpty,
                (user + password).unicodeScalars.allSatisfy({
                    $0.properties.generalCategory != .control
                })
            else { throw SMTPServerError.unusableCredentials }
            return Credentials(user: user, password: password)
        default: throw SMTPServerError.incompleteCredentials
        }
    }

    private var isLoopback: Bool {
        host == "localhost" || IPAddress(host)?.isLoopback == true
    }

    /// The address that libcurl connects to.
    var url: String {
        let scheme = security == .implicitTLS ? "smtps" : "smtp"
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Has no user name or password.
    public var description: String { url + (security == .none ? "?tls=off" : "") }
}

/// Why the settings of a mail server are rejected.
public enum SMTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed
    case credentialsInURL
    case portMissing
    case incompleteCredentials
    case unusableCredentials
    case unprotectedCredentials

    public var description: String {
        switch self {
        case .malformed:
            "SMTP_URL must be smtp://host[:port], smtps://host[:port] or smtp://host:port?tls=off."
        case .credentialsInURL:
            "SMTP_URL must have no user name or password: set SMTP_USER and SMTP_PASSWORD_FILE."
        case .portMissing: "SMTP_URL must name the port if it says tls=off."
        case .incompleteCredentials: "SMTP_USER and SMTP_PASSWORD_FILE must be set together."
        case .unusableCredentials:
            "SMTP_USER and the contents of SMTP_PASSWORD_FILE must not be empty, and must have no "
                + "control characters."
        case .unprotectedCredentials:
            "SMTP_USER and SMTP_PASSWORD_FILE can be used with tls=off only if the mail server is "
                + "this machine: anyone on the way could read the password."
        }
    }
}

import Encodings
import FaveGames
import Sockets

/// What `SMTP_URL` says. Anything that is not one of the forms of `SMTPServer` is rejected, rather
/// than read generously and connected to without TLS.
struct SMTPURL {
    let host: String
    let port: Int
    let security: SMTPServer.Security

    init(_ text: String) throws(SMTPServerError) {
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw SMTPServerError.credentialsInURL
        }
        let isImplicit = text.hasPrefix("smtps://")
        guard isImplicit || text.hasPrefix("smtp://") else { throw SMTPServerError.malformed }
        var rest = text.dropFirst(isImplicit ? 8 : 7)
        let isOff = rest.hasSuffix("?tls=off")
        guard !isOff || !isImplicit else { throw SMTPServerError.malformed }
        if isOff { rest = rest.dropLast(8) }
        let (host, port) = try Self.authority(rest)
        guard port != nil || !isOff else { throw SMTPServerError.portMissing }
        self.host = host
        self.port = port ?? (isImplicit ? 465 : 587)
        security = isOff ? .none : isImplicit ? .implicitTLS : .startTLS
    }

    private static func authority(
        _ text: Substring
    ) throws(SMTPServerError) -> (host: String, port: Int?) {
        let (host, rest): (Substring, Substring)
        let isValid: Bool
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[..<end].dropFirst()
            rest = text[end...].dropFirst()
            isValid = IPAddress(String(host)).map { !$0.isV4 } ?? false
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
            isValid = HostName.isValid(host)
        }
        guard isValid else { throw SMTPServerError.malformed }
        guard !rest.isEmpty else { return (host.lowercased(), nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy(\.isASCIIDigit),
            let port = UInt16(digits), port > 0
        else { throw SMTPServerError.malformed }
        return (host.lowercased(), Int(port))
    }
}

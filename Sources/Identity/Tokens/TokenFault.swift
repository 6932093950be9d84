import FaveGames
import Foundation

/// The check that a token failed, in words for the log: what is wrong, and what to do about it. Who
/// sends a token isn't told.
struct TokenFault: Error, Equatable, CustomStringConvertible {
    let description: String

    private init(_ description: String) { self.description = description }

    static func malformed(_ what: String) -> TokenFault { TokenFault("it is malformed: \(what)") }

    static func malformed(_ error: any Error) -> TokenFault {
        malformed("its claims can't be read: \((error as? DecodingError)?.summary ?? "no object")")
    }

    static func tooLarge(_ bytes: Int, limit: Int) -> TokenFault {
        TokenFault(
            "it has \(bytes) bytes, and \(limit) are accepted; let the issuer leave claims out")
    }

    static func type(_ type: String) -> TokenFault {
        TokenFault(
            "its type (typ) is \(shown(type)) instead of JWT; is it another kind of token?")
    }

    static let isIDToken = TokenFault("it is an ID token, which grants no access")

    static let extensions = TokenFault(
        "it demands extensions (crit); switch them off for this client at the issuer")

    static func algorithm(_ algorithm: String) -> TokenFault {
        TokenFault(
            """
            it is signed with \(shown(algorithm)), and only \(VerificationKey.algorithmList) are \
            accepted; choose one of them for this client at the issuer
            """)
    }

    static let noKeys = TokenFault(
        """
        none of the issuer's keys could be read; the log says why where it names the key set, and so \
        does fave-admin doctor
        """)

    static func unknownKey(_ id: String, _ algorithm: String, among ids: [String]) -> TokenFault {
        TokenFault(
            """
            the issuer publishes no key with the id (kid) \(shown(id)) for \(shown(algorithm)), only \
            \(ids.prefix(8).map(shown).joined(separator: ", ")); has it changed its keys in the last \
            seconds?
            """)
    }

    static func noKeyNamed(_ algorithm: String, _ count: Int) -> TokenFault {
        TokenFault(
            """
            it names no key (kid), and the issuer publishes \(count) keys for \(shown(algorithm)), \
            of which it must be the only one
            """)
    }

    static func signature(_ id: String?) -> TokenFault {
        TokenFault(
            """
            its signature is not by the issuer's key\(id.map { " \(shown($0))" } ?? ""); does the \
            issuer use the same id for another key?
            """)
    }

    static func issuer(_ issuer: String, not own: String) -> TokenFault {
        TokenFault("its issuer (iss) is \(shown(issuer)) instead of \(shown(own))")
    }

    static func audience(_ audience: [String], not own: String) -> TokenFault {
        TokenFault(
            """
            its audience (aud) is \(audience.prefix(8).map(shown).joined(separator: ", ")), without \
            \(shown(own)); check the client's id in the settings
            """)
    }

    static let subject = TokenFault(
        "its subject (sub) is empty, has more than 255 characters, or a zero byte")

    static func expired(_ seconds: Double) -> TokenFault {
        TokenFault(
            """
            it expired (exp) \(counted(seconds)) ago by this server's clock; synchronise the clocks of \
            both (NTP)
            """)
    }

    static func early(_ claim: String, _ seconds: Double) -> TokenFault {
        TokenFault(
            """
            its time (\(claim)) is \(counted(seconds)) ahead of this server's clock; synchronise the \
            clocks of both (NTP)
            """)
    }

    private static func counted(_ seconds: Double) -> String {
        seconds < 1e9
            ? "\(Int(seconds.rounded(.up))) seconds" : "more than \(1_000_000_000) seconds"
    }

    /// A text of the token for a line of the log.
    private static func shown(_ text: String) -> String {
        "\"\(OneLine.clean(String(text.unicodeScalars.prefix(100))))\""
    }
}

extension DecodingError {
    /// Which member of a JSON text is missing or wrong.
    var summary: String {
        switch self {
        case .keyNotFound(let key, _): "\(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            context.codingPath.isEmpty
                ? "it is no object"
                : "\(context.codingPath.map(\.stringValue).joined(separator: ".")) has the wrong type"
        default: "it is no JSON"
        }
    }
}

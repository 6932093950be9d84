import HTTP
import HTTPTypes

/// A cookie that this site sets; RFC 6265.
struct Cookie: Sendable {
    private let baseName: String
    /// How long the browser keeps it; `nil` for as long as it runs.
    private let maximumAge: Duration?

    /// Who is signed in.
    static func session(lifetime: Duration) -> Cookie {
        Cookie(baseName: "session", maximumAge: lifetime)
    }

    static let session = Cookie(baseName: "session", maximumAge: nil)

    /// Binds forms to the browser that asked for them, before anybody is signed in.
    static let form = Cookie(baseName: "form", maximumAge: nil)

    /// An attempt to sign in with a provider, until the browser comes back.
    static let attempt = Cookie(baseName: "sign-in", maximumAge: .seconds(600))

    /// Where the site is https, the prefix makes browsers take the cookie from nobody else, such as
    /// a neighbouring host (draft-ietf-httpbis-rfc6265bis section 4.1.3.2).
    private func name(isSecure: Bool) -> String { isSecure ? "__Host-\(baseName)" : baseName }

    /// What the browser sent.
    ///
    /// - Returns: `nil` also if it sent several, which only somebody else's cookies can make it do.
    func value(in request: Request, isSecure: Bool) -> String? {
        let name = name(isSecure: isSecure)
        var found: String?
        for field in request.headerFields[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let parts = Substring(pair).trimmingPrefix(while: { $0 == " " || $0 == "\t" })
                    .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0] == name else { continue }
                guard found == nil else { return nil }
                found = String(parts[1])
            }
        }
        return found
    }

    /// The field that sets it.
    ///
    /// - Parameter value: Of characters that need no quoting.
    func setting(_ value: String, isSecure: Bool) -> HTTPField {
        field(value, maximumAge.map { Int($0.components.seconds) }, isSecure)
    }

    /// The field that removes it.
    func removing(isSecure: Bool) -> HTTPField { field("", 0, isSecure) }

    private func field(_ value: String, _ maximumAge: Int?, _ isSecure: Bool) -> HTTPField {
        var text = "\(name(isSecure: isSecure))=\(value); Path=/; HttpOnly; SameSite=Lax"
        if isSecure { text += "; Secure" }
        if let maximumAge { text += "; Max-Age=\(maximumAge)" }
        return HTTPField(name: .setCookie, value: text)
    }
}

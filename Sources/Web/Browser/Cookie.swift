import HTTP
import HTTPTypes

/// A cookie that this site sets; RFC 6265.
struct Cookie: Sendable {
    private let baseName: String

    /// Who is signed in.
    static let session = Cookie(baseName: "session")

    /// Binds forms to the browser that asked for them, before anybody is signed in.
    static let form = Cookie(baseName: "form")

    /// Signing in with a provider, until the browser comes back.
    static let handshake = Cookie(baseName: "sign-in")

    /// Where the site is https, the prefix makes browsers take the cookie from nobody else, such as
    /// a neighbouring host (draft-ietf-httpbis-rfc6265bis section 4.1.3.2).
    private func name(isSecure: Bool) -> String { isSecure ? "__Host-\(baseName)" : baseName }

    /// What the browser sent, read byte by byte: to Swift a sign and a combining mark behind it are
    /// one character, which would be no separator.
    ///
    /// - Returns: `nil` also if it sent several, which only someone else's cookies can make it do.
    func value(in request: Request, isSecure: Bool) -> String? {
        let name = name(isSecure: isSecure)
        var found: String?
        for field in request.headerFields[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    pair[..<equals].elementsEqual(name.utf8)
                else { continue }
                guard found == nil else { return nil }
                found = String(Substring(pair[equals...].dropFirst()))
            }
        }
        return found
    }

    /// Whether a request may hold it, found without reading its fields: it may also be another cookie
    /// whose name ends alike.
    func mayBe(in request: Request) -> Bool {
        guard let cookies = request.value(of: .cookie) else { return false }
        var rest = cookies.utf8[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "=")) {
            if rest[..<end].reversed().starts(with: baseName.utf8.reversed()) { return true }
            rest = rest[end...].dropFirst()
        }
        return false
    }

    /// The field that sets it.
    ///
    /// - Parameters:
    ///   - value: Of characters that need no quoting.
    ///   - maximumAge: How long the browser keeps it; `nil` for as long as it runs.
    func setting(_ value: String, maximumAge: Duration? = nil, isSecure: Bool) -> HTTPField {
        var text = "\(name(isSecure: isSecure))=\(value); Path=/; HttpOnly; SameSite=Lax"
        if isSecure { text += "; Secure" }
        if let maximumAge { text += "; Max-Age=\(maximumAge.components.seconds)" }
        return HTTPField(name: .setCookie, value: text)
    }

    /// The field that removes it.
    func removing(isSecure: Bool) -> HTTPField {
        setting("", maximumAge: .zero, isSecure: isSecure)
    }
}

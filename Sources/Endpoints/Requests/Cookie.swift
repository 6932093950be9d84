package import HTTP
package import HTTPTypes

/// A cookie that this site sets, RFC 6265.
package struct Cookie: Sendable {
    private let baseName: String

    /// - Parameter baseName: The end of the name.
    package init(_ baseName: String) { self.baseName = baseName }

    private func name(at site: CookieSite) -> String { site.prefix + baseName }

    /// The cookie's value in a request. The fields are read byte by byte: to Swift, a separator and
    /// a combining mark after it are one character, which would not be found as a separator.
    ///
    /// - Returns: `nil` also if the browser sent several, which only someone else's cookies can
    ///   cause.
    package func value(in request: Request, at site: CookieSite) -> String? {
        let name = name(at: site)
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

    /// Whether a request may have this cookie. The fields are not parsed, so this may also be true
    /// for another cookie whose name ends in the same way.
    package func mayBe(in request: Request) -> Bool {
        guard let cookies = request.value(of: .cookie)?.utf8 else { return false }
        let names = baseName.utf8
        let bytes = cookies.span
        let name = names.span
        for end in bytes.indices where bytes[end] == UInt8(ascii: "=") && end >= name.count {
            var length = 0
            while length < name.count, bytes[end - 1 - length] == name[name.count - 1 - length] {
                length += 1
            }
            if length == name.count { return true }
        }
        return false
    }

    /// The field that sets the cookie.
    ///
    /// - Parameters:
    ///   - value: Must consist of characters that need no quoting.
    ///   - maximumAge: How long the browser stores the cookie; `nil` until the browser is closed.
    package func setting(
        _ value: String, maximumAge: Duration? = nil, at site: CookieSite
    ) -> HTTPField {
        var text = "\(name(at: site))=\(value); Path=/; HttpOnly; SameSite=Lax"
        if site.isSecure { text += "; Secure" }
        if let maximumAge { text += "; Max-Age=\(maximumAge.components.seconds)" }
        return HTTPField(name: .setCookie, value: text)
    }

    /// The field that removes the cookie.
    package func removing(at site: CookieSite) -> HTTPField {
        setting("", maximumAge: .zero, at: site)
    }
}

/// A site, as far as the names of its cookies depend on it.
package struct CookieSite: Sendable {
    fileprivate let prefix: String
    fileprivate let isSecure: Bool

    /// A site with TLS. The prefix makes browsers accept the cookie only from this host, not from a
    /// neighbouring one (draft-ietf-httpbis-rfc6265bis section 4.1.3.2).
    package static let secure = CookieSite(prefix: "__Host-", isSecure: true)

    /// A site without TLS. Browsers send a host's cookies to all of its ports, so the names must differ
    /// from those of other programs there, and from those of the same program at another port.
    package static func plain(_ program: String, port: Int) -> CookieSite {
        CookieSite(prefix: "\(program)-\(port)-", isSecure: false)
    }
}

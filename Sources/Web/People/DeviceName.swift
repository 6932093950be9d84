import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Sockets
import Views

/// What a client calls itself, as it is stored: "Firefox on Linux", "curl". It serves only to
/// recognise one's own devices, since a client can say anything.
enum DeviceName {
    /// Each with a part of User-Agent that it alone has among those that are left. Most browsers also
    /// name others: https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/User-Agent.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
        ("Vivaldi/", "Vivaldi"), ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"),
        ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]

    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
        ("Windows", "Windows"), ("Mac OS X", "macOS"), ("Linux", "Linux"),
    ]

    /// - Returns: At most 80 characters; `nil` if the text says nothing.
    static func of(userAgent text: String) -> String? {
        let browser = browsers.first { text.contains($0.0) }?.1
        let system = systems.first { text.contains($0.0) }?.1
        switch (browser, system) {
        case (let browser?, let system?): return "\(browser) on \(system)"
        case (let browser?, nil): return browser
        default: break
        }
        // A program: its first product, RFC 9110 section 10.1.5, without the version.
        let product = text.prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0))
        }
        return product.isEmpty ? system : String(product.prefix(40))
    }

    /// A stored name in words.
    static func words(_ name: String) -> Words {
        for (_, system) in systems where name.hasSuffix(" on \(system)") {
            return .device(String(name.dropLast(" on \(system)".count)), on: system)
        }
        return Words(name: name)
    }
}

extension RequestContext {
    /// Where a session is opened by this request.
    var origin: SessionOrigin {
        SessionOrigin(
            device: request.headerFields[.userAgent].flatMap { DeviceName.of(userAgent: $0) },
            network: client.neighbourhood?.description)
    }
}

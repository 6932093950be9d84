import Endpoints
import HTTP
import HTTPTypes

@testable import Web

/// A cookie's value is what a plain reading of RFC 6265 section 5.4 finds, byte by byte; and what
/// we set comes back among any others.
enum CookieProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        // A line of the input is a Cookie field, as far as one can hold it.
        let lines = input.split(separator: 0x0A).map { line in
            let value = line.filter { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            // White space around a field's value is not part of it (RFC 9110 §5.5).
            let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? 0
            return value[..<end].drop { $0 == 0x20 || $0 == 0x09 }
        }.map(Array.init)
        guard let request = request(lines) else { return }
        let sites = [
            ("__Host-session", CookieSite.secure),
            ("session-80-session", .plain("session", port: 80)),
        ]
        for (name, site) in sites {
            // As text: what is not UTF-8 comes to us replaced.
            let values = values(of: name, in: lines).map {
                Array(String(decoding: $0, as: UTF8.self).utf8)
            }
            let found = Cookie.session.value(in: request, at: site)
            require(
                found.map { Array($0.utf8) } == (values.count == 1 ? values[0] : nil),
                "found \(found as Any) among \(values)")
            checkOwn(among: lines, at: site, isTaken: !values.isEmpty)
        }
    }

    private static func checkOwn(among lines: [[UInt8]], at site: CookieSite, isTaken: Bool) {
        let value = "c2VjcmV0-_"
        let field = Cookie.session.setting(value, at: site).value
        let pair = Array(field.utf8.prefix { $0 != UInt8(ascii: ";") })
        var all = lines
        all.append((lines.first ?? []) + Array("; ".utf8) + pair)
        guard let request = request(all) else { return }
        let found = Cookie.session.value(in: request, at: site)
        require(found == (isTaken ? nil : value), "among others it is \(found as Any)")
    }

    /// The request as the parser gives it; `nil` if the header is too large.
    private static func request(_ lines: [[UInt8]]) -> Request? {
        var text = Array("GET / HTTP/1.1\r\nHost: h\r\n".utf8)
        for line in lines { text += Array("Cookie: ".utf8) + line + Array("\r\n".utf8) }
        text += Array("\r\n".utf8)
        var parser = RequestParser()
        let parsed = try? parser.parse(text.span)
        guard case .request(let request)? = parsed?.event else { return nil }
        return request
    }

    private static func values(of name: String, in lines: [[UInt8]]) -> [[UInt8]] {
        lines.flatMap { line in
            line.split(separator: UInt8(ascii: ";")).compactMap { pair -> [UInt8]? in
                let pair = pair.drop { $0 == 0x20 || $0 == 0x09 }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    pair[..<equals].elementsEqual(name.utf8)
                else { return nil }
                return Array(pair[(equals + 1)...])
            }
        }
    }
}

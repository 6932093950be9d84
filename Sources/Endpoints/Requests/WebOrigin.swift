import Encodings
import Foundation
import Sockets

/// A site's origin (RFC 6454), in the form in which browsers write it: they compare it byte by byte.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    package let isSecure: Bool
    /// In small letters and in ASCII; an IPv6 address has brackets.
    package let host: String
    package let port: Int

    /// Reads an address that someone typed. Capital letters, the scheme's own port and letters beyond
    /// ASCII become what browsers make of them.
    ///
    /// - Returns: `nil` if it has more than a scheme, a host and a port, or if a browser could read the
    ///   host as another one.
    package init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let start = scheme + "://"
        guard ["https", "http"].contains(scheme), text.lowercased().hasPrefix(start) else {
            return nil
        }
        let authority = text.dropFirst(start.count)
        let portStart = authority.lastIndex(of: ":").flatMap {
            authority[$0...].contains("]") ? nil : $0
        }
        isSecure = scheme == "https"
        let standardPort = isSecure ? 443 : 80
        if let portStart, case let digits = authority[portStart...].dropFirst(), !digits.isEmpty {
            guard let port = Int(decimal: digits, digits: 1...5), port <= 65_535 else {
                return nil
            }
            self.port = port
        } else {
            port = standardPort
        }
        guard let host = Self.host(authority[..<(portStart ?? authority.endIndex)]) else {
            return nil
        }
        self.host = host
        description = start + host + (port == standardPort ? "" : ":\(port)")
    }

    package let description: String

    /// Whether the host is the machine that the browser runs on.
    package var isLoopback: Bool {
        host == "localhost"
            || IPAddress(host.trimmingCharacters(in: ["[", "]"]))?.isLoopback == true
    }

    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let address = IPAddress(String(text.dropFirst().dropLast()))
            return address.flatMap { $0.isV4 ? nil : "[\($0)]" }
        }
        guard !text.isEmpty, let name = inASCII(text)?.lowercased(), name.utf8.count <= 253 else {
            return nil
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // Underscores aren't for hosts, but browsers and container networks know them.
        let areLabels = labels.allSatisfy { label in
            label.consists(
                of: {
                    $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
                        || $0 == UInt8(ascii: "_")
                }, bytes: 1...63)
                && label.first != "-" && label.last != "-"
        }
        guard areLabels else { return nil }
        // Browsers read a host that ends in a number as an IPv4 address, in many spellings.
        let endsInNumber =
            labels.last.map {
                $0.utf8.allSatisfy(\.isASCIIDigit) || $0.hasPrefix("0x")
            } ?? false
        return !endsInNumber || IPAddress(name)?.description == name ? name : nil
    }

    /// The name in its ASCII form, in which each label in another script begins with `xn--`.
    private static func inASCII(_ name: Substring) -> String? {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return String(name) }
        let isName = name.unicodeScalars.allSatisfy {
            $0.isASCII
                ? $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "."
                : !$0.properties.isDefaultIgnorableCodePoint
        }
        guard isName else { return nil }
        return URLComponents(string: "https://\(name)")?.encodedHost
    }
}

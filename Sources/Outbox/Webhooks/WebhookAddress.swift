import Encodings
import FaveGames

/// The address that a webhook is sent to. Its path and query are often a secret.
///
/// It has no user name and no fragment, and is written in ASCII: a host in another script is written in
/// its ASCII form (`xn--…`), and an IPv4 address as four decimal numbers.
public struct WebhookAddress: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of an address.
    public static let limit = 1000

    /// The whole address.
    public let description: String
    /// The name of the host, or its IP address without brackets. In small letters.
    public let host: String
    /// Whether it begins with `https`.
    public let isEncrypted: Bool

    /// Reads an address that someone typed, without white space around it.
    ///
    /// - Parameter anyPort: Whether it may have a port below 1024 that isn't one of HTTP's. Other services
    ///   listen there.
    /// - Returns: `nil` if it is malformed or of a kind that is left out.
    public init?(_ text: String, anyPort: Bool = false) {
        guard text.consists(of: Self.isAllowed, bytes: 1...Self.limit) else { return nil }
        isEncrypted = text.hasPrefix("https://")
        guard isEncrypted || text.hasPrefix("http://") else { return nil }
        let authority = text.dropFirst(isEncrypted ? 8 : 7).prefix { $0 != "/" && $0 != "?" }
        let port: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let address = authority[..<end].dropFirst()
            guard
                address.consists(
                    of: { Hexadecimal.value(of: $0) != nil || ":.".utf8.contains($0) },
                    bytes: 2...45), address.contains(":")
            else { return nil }
            host = address.lowercased()
            port = authority[end...].dropFirst()
        } else {
            let name = authority.prefix { $0 != ":" }
            guard HostName.isValid(name), !Self.isNumeric(name) || Self.isIPv4(name) else {
                return nil
            }
            host = name.lowercased()
            port = authority.dropFirst(name.count)
        }
        guard port.isEmpty || Self.isPort(port, anyPort: anyPort) else { return nil }
        description = text
    }

    /// Whether an address may contain a byte. Visible ASCII is allowed, without the characters that programs
    /// read in different ways.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIIVisible && !"\"#<>\\^`{|}".utf8.contains(byte)
    }

    /// Whether programs read a host as an IPv4 address, such as `127.1`, `0x7f.1` and `2130706433`: whether it
    /// ends in a number (https://url.spec.whatwg.org/#ends-in-a-number-checker).
    private static func isNumeric(_ host: Substring) -> Bool {
        let label = host.split(separator: ".").last ?? ""
        return label.allSatisfy(\.isWholeNumber)
            || label.lowercased().hasPrefix("0x")
                && label.dropFirst(2).utf8.allSatisfy { Hexadecimal.value(of: $0) != nil }
    }

    /// Whether a host is an IPv4 address in the only form that all programs read in the same way.
    private static func isIPv4(_ host: Substring) -> Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { number in
                number.utf8.first != UInt8(ascii: "0") || number.utf8.count == 1
            }
            && numbers.allSatisfy { Int(decimal: $0, digits: 1...3).map { $0 <= 255 } == true }
    }

    /// - Parameter text: With a colon.
    private static func isPort(_ text: Substring, anyPort: Bool) -> Bool {
        guard text.first == ":", let port = Int(decimal: text.dropFirst(), digits: 1...5),
            (1...65_535).contains(port)
        else { return false }
        return anyPort || port >= 1024 || port == 443 || port == 80
    }
}

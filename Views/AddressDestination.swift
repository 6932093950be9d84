/// Where an address leads, as browsers read it: URL Standard, section 4.4.
enum AddressDestination {
    /// A path on this site.
    case path
    /// Another site.
    case web
    /// Anything else, including scripts.
    case other

    init(_ address: String) {
        self = Self.read(address.utf8)
    }

    private static func read(_ address: String.UTF8View) -> AddressDestination {
        // Browsers remove tabs and line ends anywhere, and control characters and spaces at the
        // beginning. The remaining text could be a different address.
        guard address.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let first = address.first else {
            return .other
        }
        switch first {
        case UInt8(ascii: "?"), UInt8(ascii: "#"): return .path
        case UInt8(ascii: "/"):
            // Two slashes, or a slash and a backslash, begin a host.
            let second = address.dropFirst().first
            return second == UInt8(ascii: "/") || second == UInt8(ascii: "\\") ? .other : .path
        default:
            return hasScheme("https://", address) || hasScheme("http://", address) ? .web : .other
        }
    }

    private static func hasScheme(_ scheme: StaticString, _ address: String.UTF8View) -> Bool {
        UnsafeBufferPointer(start: scheme.utf8Start, count: scheme.utf8CodeUnitCount)
            .elementsEqual(address.prefix(scheme.utf8CodeUnitCount)) { $0 == $1 | 0x20 }
    }
}

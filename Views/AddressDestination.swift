import Encodings

/// Where an address leads, as browsers read it: URL Standard, section 4.4.
enum AddressDestination {
    /// A path on this site.
    case path
    /// Another site.
    case web
    /// Anything else, including scripts.
    case other

    init(_ address: String) {
        self.init(address.utf8Span.span)
    }

    init(_ address: Span<UInt8>) {
        // Browsers remove tabs and line ends anywhere, and control characters and spaces at the
        // beginning. The remaining text could be a different address.
        guard !Self.containsControl(address), let first = address.first else {
            self = .other
            return
        }
        switch first {
        case UInt8(ascii: "?"), UInt8(ascii: "#"): self = .path
        case UInt8(ascii: "/"):
            // Two slashes, or a slash and a backslash, begin a host.
            let second = address.count > 1 ? address[1] : nil
            self = second == UInt8(ascii: "/") || second == UInt8(ascii: "\\") ? .other : .path
        default:
            let isWeb = Self.begins(address, "https://") || Self.begins(address, "http://")
            self = isWeb ? .web : .other
        }
    }

    private static func containsControl(_ address: Span<UInt8>) -> Bool {
        address.containsAny { $0.bytes(below: 0x20) | $0.bytes(equalTo: 0x7F) }
    }

    private static func begins(_ address: Span<UInt8>, _ scheme: StaticString) -> Bool {
        let scheme = scheme.span
        return address.count >= scheme.count
            && address.part(0, scheme.count).isEqual(to: scheme, setting: 0x20)
    }
}

import Glibc

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) counts as the
/// IPv4 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as a number. An IPv4 address has 32 bits, stored in the lowest ones.
    fileprivate let high: UInt64
    fileprivate let low: UInt64
    public let isV4: Bool

    fileprivate init(high: UInt64, low: UInt64, isV4: Bool) {
        self.high = high
        self.low = low
        self.isV4 = isV4
    }

    /// - Parameter bytes: In network byte order: 4 of IPv4, or 16 of IPv6.
    private init(_ bytes: Span<UInt8>) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in bytes.indices {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(bytes[index])
        }
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.init(
            high: high, low: isMapped ? low & 0xFFFF_FFFF : low,
            isV4: isMapped || bytes.count == 4)
    }

    /// The address in a `sockaddr_in` or `sockaddr_in6`.
    ///
    /// - Returns: `nil` for other families, and if there are too few bytes.
    public init?(family: Int32, socketAddress bytes: Span<UInt8>) {
        switch family {
        // After the family and the port; with IPv6 also after the flow.
        case AF_INET where bytes.count >= 8: self.init(bytes.extracting(4..<8))
        case AF_INET6 where bytes.count >= 24: self.init(bytes.extracting(8..<24))
        default: return nil
        }
    }

    /// Parses an address as inet_pton(3) does, without port, brackets or zone.
    public init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes.span.extracting(..<4))
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes.span)
        } else {
            return nil
        }
    }

    /// Whether the address is the machine itself: 127.0.0.0/8 or ::1.
    public var isLoopback: Bool { isV4 ? low >> 24 == 127 : high == 0 && low == 1 }

    /// How many bits the address has: 32 or 128.
    public var bitCount: Int { isV4 ? 32 : 128 }

    /// The address in its shortest form (RFC 5952).
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let bytes = (0..<bitCount / 8).reversed().map { index in
            UInt8(truncatingIfNeeded: (index < 8 ? low : high) >> (8 * (index % 8)))
        }
        let family = isV4 ? AF_INET : AF_INET6
        let length = socklen_t(text.count)
        guard unsafe inet_ntop(family, bytes, &text, length) != nil else { return "" }
        return String(untilNUL: text)
    }
}

/// All addresses that share a prefix (RFC 4632 section 3.1).
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    public let address: IPAddress
    /// How many leading bits the addresses share.
    public let prefixLength: Int

    /// Parses a network such as `10.0.0.0/8`, or a single address, which is a network of its own.
    ///
    /// - Returns: `nil` if the text is malformed, or if bits after the prefix are set.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(of: address, prefixLength: address.bitCount)
            return
        }
        guard parts[1].utf8.count <= 3, let length = Int(parts[1]),
            (0...address.bitCount).contains(length)
        else { return nil }
        self.init(of: address, prefixLength: length)
        guard self.address == address else { return nil }
    }

    /// The network with this prefix length that contains `address`.
    public init(of address: IPAddress, prefixLength: Int) {
        self.prefixLength = prefixLength
        // In Swift, shifting by the full width or more gives zero.
        let hostBits = address.bitCount - prefixLength
        self.address = IPAddress(
            high: address.high & (UInt64.max << max(0, hostBits - 64)),
            low: address.low & (UInt64.max << hostBits), isV4: address.isV4)
    }

    public func contains(_ other: IPAddress) -> Bool {
        other.isV4 == address.isV4 && IPNetwork(of: other, prefixLength: prefixLength) == self
    }

    public var description: String { "\(address)/\(prefixLength)" }
}

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

    init(_ address: in_addr) {
        self.init(high: 0, low: UInt64(UInt32(bigEndian: address.s_addr)), isV4: true)
    }

    init(_ address: in6_addr) {
        let (high, low) = withUnsafeBytes(of: address) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.init(high: high, low: isMapped ? low & 0xFFFF_FFFF : low, isV4: isMapped)
    }

    /// The address in a `sockaddr` of IPv4 or IPv6.
    ///
    /// - Returns: `nil` for other families, and if there are too few bytes.
    public init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
        switch Int32(bytes.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET: self.init(bytes.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            self.init(bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    /// Parses an address as inet_pton(3) does, without port, brackets or zone.
    public init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4)
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6)
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
        let length = socklen_t(text.count)
        let result =
            if isV4 {
                withUnsafeBytes(of: UInt32(truncatingIfNeeded: low).bigEndian) {
                    inet_ntop(AF_INET, $0.baseAddress, &text, length)
                }
            } else {
                withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
                    inet_ntop(AF_INET6, $0.baseAddress, &text, length)
                }
            }
        guard result != nil else { return "" }
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

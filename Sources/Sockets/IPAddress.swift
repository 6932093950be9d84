import Glibc

/// An IPv4 or IPv6 address. An IPv4 address that is written as an IPv6 one (RFC 4291 section
/// 2.5.5.2) is the IPv4 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16.
    public let bytes: [UInt8]

    /// Reads an address as inet_pton(3) does, without port, brackets or zone.
    public init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            let all = withUnsafeBytes(of: v6) { Array($0) }
            let isMapped = all[..<10].allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            bytes = isMapped ? Array(all[12...]) : all
        } else {
            return nil
        }
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// In the shortest form, RFC 5952.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// All addresses that begin alike; RFC 4632 section 3.1.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    public let address: IPAddress
    /// How many bits are the network's.
    public let prefixLength: Int

    /// Reads `10.0.0.0/8`; or one address, which is a network of its own.
    ///
    /// - Returns: `nil` also if bits behind the prefix are set.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(of: address, prefixLength: address.bytes.count * 8)
            return
        }
        guard parts[1].utf8.count <= 3, let length = Int(parts[1]),
            (0...address.bytes.count * 8).contains(length)
        else { return nil }
        self.init(of: address, prefixLength: length)
        guard self.address == address else { return nil }
    }

    /// The network that an address is in.
    public init(of address: IPAddress, prefixLength: Int) {
        self.prefixLength = prefixLength
        self.address = IPAddress(
            bytes: address.bytes.enumerated().map { index, byte in
                let kept = min(8, max(0, prefixLength - index * 8))
                return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            })
    }

    public func contains(_ other: IPAddress) -> Bool {
        other.bytes.count == address.bytes.count
            && IPNetwork(of: other, prefixLength: prefixLength) == self
    }

    public var description: String { "\(address)/\(prefixLength)" }
}

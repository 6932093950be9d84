import Glibc

/// Where a request came from.
public struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    /// The peer's IP address without its port; empty on a unix-domain socket.
    public let host: String

    public init(host: String) { self.host = host }

    public var description: String { host.isEmpty ? "local" : host }

    /// What one client has for itself: an IPv4 address, or the first 64 bits of an IPv6 address,
    /// since whoever has one of these has them all (RFC 6177).
    public var network: String {
        guard host.contains(":") else { return host }
        // One address can be written in many ways; a zone is the peer's business.
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1 else {
            return host
        }
        let bytes = withUnsafeBytes(of: address) { Array($0) }
        // An IPv4 address that came in by an IPv6 socket; RFC 4291 section 2.5.5.2.
        if bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(Int(bytes[index]) << 8 | Int(bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}

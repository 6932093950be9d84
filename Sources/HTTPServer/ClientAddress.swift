import Sockets

/// Where a request came from.
public struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    /// The peer's IP address without its port; empty on a unix-domain socket.
    public let host: String

    public init(host: String) { self.host = host }

    public var description: String { host.isEmpty ? "local" : host }

    /// What one client has for itself: an IPv4 address, or the first 64 bits of an IPv6 address,
    /// since whoever has one of these has them all (RFC 6177). Empty if it is not known.
    public var network: String {
        guard let address = IPAddress(String(host.prefix { $0 != "%" })) else { return "" }
        let isV4 = address.bytes.count == 4
        return isV4
            ? address.description : IPNetwork(of: address, prefixLength: 64).description
    }
}

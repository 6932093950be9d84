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
        // An IPv4 address that came in by an IPv6 socket; RFC 4291 section 2.5.5.2.
        if host.contains("."), let last = host.split(separator: ":").last { return String(last) }
        // Two colons stand for as many zeros as are missing.
        let halves = host.split(separator: "%")[0].split(
            separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        let head = halves[0].split(separator: ":")
        let tail = halves.count > 1 ? halves[1].split(separator: ":") : []
        let zeros = Array(repeating: Substring("0"), count: max(0, 8 - head.count - tail.count))
        return (head + (halves.count > 1 ? zeros : []) + tail).prefix(4).joined(separator: ":")
            + "::/64"
    }
}

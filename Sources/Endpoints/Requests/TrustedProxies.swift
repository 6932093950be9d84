package import HTTP
import HTTPTypes
public import Sockets

/// The proxies in front of the server that are trusted to say where a request came from.
public struct TrustedProxies: Hashable, Sendable {
    private let networks: [IPNetwork]
    /// Whether clients of a unix-domain socket are trusted proxies.
    public let includesLocal: Bool

    /// Trusts no proxies.
    public init() {
        networks = []
        includesLocal = false
    }

    /// Reads addresses and networks, separated by commas; "local" means unix-domain sockets.
    ///
    /// - Returns: `nil` if one of them is neither an address nor a network.
    public init?(_ text: String) {
        var networks: [IPNetwork] = []
        var includesLocal = false
        for name in text.commaSeparated {
            if name == "local" {
                includesLocal = true
            } else if let network = IPNetwork(name) {
                networks.append(network)
            } else {
                return nil
            }
        }
        self.networks = networks
        self.includesLocal = includesLocal
    }

    /// Whether a peer is a trusted proxy.
    public func contains(_ client: ClientAddress) -> Bool {
        switch client {
        case .local: includesLocal
        case .internet(let address): networks.contains { $0.contains(address) }
        }
    }

    /// Where a request came from: the peer, unless the peer is a trusted proxy, which names its
    /// client in X-Forwarded-For.
    ///
    /// Every proxy appends the address that it got the request from. So the last address that is
    /// not a trusted proxy's own can't be forged, but those before it can.
    package func client(of request: Request, peer: ClientAddress) -> ClientAddress {
        var client = peer
        guard contains(client) else { return client }
        var addresses =
            request.value(of: .xForwardedFor)?
            .split(separator: ",", omittingEmptySubsequences: false) ?? []
        while contains(client), let last = addresses.popLast() {
            // An entry that is not an address, even an empty one, hides everything before it.
            guard let address = Self.address(last) else { return client }
            client = .internet(address)
        }
        return client
    }

    /// Reads an address as proxies write it: some add a port, and then put an IPv6 address in
    /// brackets.
    private static func address(_ text: Substring) -> IPAddress? {
        let text = text.filter { !$0.isWhitespace }
        if let address = IPAddress(text) { return address }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return IPAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        return text.lastIndex(of: ":").flatMap { IPAddress(String(text[..<$0])) }
    }
}

import Sockets

extension ClientAddress {
    /// What one client has for itself: an IPv4 address, or the first 64 bits of an IPv6 address,
    /// since everyone who has one of these has them all (RFC 6177). `nil` if it is not known.
    public var network: IPNetwork? {
        switch self {
        case .local: nil
        case .internet(let address):
            IPNetwork(of: address, prefixLength: address.isV4 ? 32 : 64)
        }
    }

    /// As it is noted with failed attempts: an IPv4 address without the length of its prefix; empty
    /// if it is not known.
    var networkName: String {
        guard let network else { return "" }
        return network.address.isV4 ? network.address.description : network.description
    }
}

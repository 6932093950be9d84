public import Sockets

extension ClientAddress {
    /// The addresses that one client has for itself: an IPv4 address, or the first 64 bits of an
    /// IPv6 address, since anyone with one of these addresses has them all (RFC 6177). `nil` if the
    /// client's address is not known.
    public var network: IPNetwork? {
        switch self {
        case .local: nil
        case .internet(let address):
            IPNetwork(of: address, prefixLength: address.isV4 ? 32 : 64)
        }
    }

    /// The network that a home or an office shares, for taking turns: the network's site if there is
    /// one, or else the network itself. Empty if the network is not known.
    package var siteName: String {
        guard let network else { return "" }
        return network.site?.description ?? networkName
    }

    /// Where roughly the client is, for the user to recognise: what providers give to a customer or to
    /// a street. `nil` if the address is not known.
    package var neighbourhood: IPNetwork? {
        switch self {
        case .local: nil
        case .internet(let address):
            IPNetwork(of: address, prefixLength: address.isV4 ? 24 : 48)
        }
    }

    /// The network as it is recorded with failed attempts. An IPv4 address has no prefix length.
    /// Empty if the network is not known.
    package var networkName: String {
        guard let network else { return "" }
        return network.address.isV4 ? network.address.description : network.description
    }
}

/// Limits for one neighbour, and for all networks of a home or an organisation together.
///
/// Providers give a /64 network to each mobile phone and to each rented machine, mostly a /56 to a
/// home or an office, which has 256 such networks, and a /48 to anyone who asks for more (RFC 6177,
/// RIPE-690). So a limit applies to each /64, and higher limits apply to its /56 and its /48. The
/// owner of one of these gains little by using many of its networks, and strangers who each have a
/// /64 of the same /56 don't use up each other's share until there are several of them.
extension IPNetwork {
    /// The networks that an IPv6 network is part of, the narrowest first, with how many times as much
    /// as one /64 each may do. Empty for IPv4.
    public var sites: [(network: IPNetwork, allowance: Int)] {
        guard !address.isV4 else { return [] }
        return Self.siteAllowances.filter { $0.prefixLength < prefixLength }.map {
            (IPNetwork(of: address, prefixLength: $0.prefixLength), $0.allowance)
        }
    }

    /// The /56 network that an IPv6 network is part of. `nil` for IPv4, and for a network that is
    /// as large.
    public var site: IPNetwork? {
        guard !address.isV4, prefixLength > 56 else { return nil }
        return IPNetwork(of: address, prefixLength: 56)
    }

    /// How many times as much as one /64 a network may do, by its size.
    public static let siteAllowances: [(prefixLength: Int, allowance: Int)] = [(56, 4), (48, 8)]
}

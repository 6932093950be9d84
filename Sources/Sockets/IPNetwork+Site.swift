/// What one neighbour may do, and all of a home together.
///
/// Providers give a /64 network to each mobile phone and to each rented machine, and mostly a /56 to
/// a home or an office, which has 256 such networks (RFC 6177, RIPE-690). So a limit applies to
/// each /64, and a wider one to the /56 that it is part of: whoever has a /56 gains little by using
/// many of its networks, and strangers who each have a /64 of the same /56 don't use up each other's
/// share before there are several of them.
extension IPNetwork {
    /// The /56 network that an IPv6 network is part of. `nil` for IPv4, and for a network that is
    /// as large.
    public var site: IPNetwork? {
        guard !address.isV4, prefixLength > 56 else { return nil }
        return IPNetwork(of: address, prefixLength: 56)
    }

    /// How many times as much as one of its networks a site may do.
    public static let siteAllowance = 4
}

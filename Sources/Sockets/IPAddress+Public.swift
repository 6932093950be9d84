extension IPAddress {
    /// Whether the address belongs to a machine that everyone on the internet can reach.
    ///
    /// False for the machine itself, private and link-local networks, networks of providers, multicast,
    /// documentation, and addresses that are translated to others: the special-purpose registries of
    /// IANA (RFC 6890).
    public var isPublic: Bool {
        if isV4 { return !Self.specialV4.contains { $0.contains(self) } }
        return Self.globalUnicast.contains { $0.contains(self) }
            && !Self.specialV6.contains { $0.contains(self) }
    }

    private static let specialV4 = networks(
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")

    /// Only these are assigned to networks that are reachable globally (RFC 4291 section 2.4). So loopback,
    /// fc00::/7, fe80::/10, ff00::/8 and the IPv4 addresses in ::/96 and 64:ff9b::/96 are not.
    private static let globalUnicast = networks("2000::/3")

    /// IETF protocols, among them Teredo; documentation; and 6to4, which contains IPv4 addresses.
    private static let specialV6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

    private static func networks(_ texts: String...) -> [IPNetwork] {
        texts.compactMap { IPNetwork($0) }
    }
}

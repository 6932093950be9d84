public import Sockets

/// The networks that the webhooks of circles may be sent to.
public enum WebhookNetworks: String, CaseIterable, Sendable {
    /// Those that everyone can reach, over https. No one can make the server send something to
    /// machines that only it can reach.
    case `public`
    /// All, for a site in a network where people trust each other. Addresses of http are allowed, too.
    case any

    /// Whether a connection to an address may be opened.
    public func admit(_ address: IPAddress) -> Bool { self == .any || address.isPublic }

    /// Whether an address may be a webhook's, as far as its text shows. A name can lead anywhere, but
    /// names without a dot, and those below `localhost` (RFC 6761 section 6.3), lead to the machine itself
    /// or to its network.
    public func admit(_ address: WebhookAddress) -> Bool {
        guard self == .public else { return true }
        guard address.isEncrypted else { return false }
        if let number = IPAddress(address.host) { return number.isPublic }
        return address.host.contains(".") && !address.host.hasSuffix(".localhost")
            && !address.host.contains(":")
    }
}

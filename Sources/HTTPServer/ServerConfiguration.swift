import HTTP
import Sockets

/// The bounds of a server. Every one can be set; none can be lifted.
public struct ServerConfiguration: Sendable {
    /// Sizes of a request's parts.
    public var limits = ParserLimits()
    /// From a request's first byte to the end of its header.
    public var headerTimeout = Duration.seconds(10)
    /// From the end of the header to the end of the body.
    public var bodyTimeout = Duration.seconds(30)
    /// How long a connection may stay without a request, and how long a client may read nothing of
    /// what waits for it.
    public var idleTimeout = Duration.seconds(60)
    /// After the last answer, how long to wait for the client's end.
    public var lingerTimeout = Duration.seconds(2)
    /// After as many the connection is closed, so that balancers can spread clients anew.
    public var requestsPerConnection = 100_000
    /// Over all loops. For a client beyond it the connection goes that has idled longest; if none
    /// does, the client gets a 503 at once.
    public var maximumConnections = 8192
    /// Of one owner; beyond it a client gets a 429 at once.
    public var connectionsPerAddress = 2048
    /// With whose connections those of a client are counted; `nil` for one that may have any number.
    public var owner: @Sendable (ClientAddress) -> IPNetwork? = { client in
        guard case .internet(let address) = client else { return nil }
        return IPNetwork(of: address, prefixLength: address.bitCount)
    }
    /// How many requests a loop answers at once: each holds what it has read from the database.
    /// Others wait for their turn, or, if that takes longer than the timeout, get a 503.
    public var requestsAtOnce = 512
    public var queueTimeout = Duration.seconds(10)
    /// What all clients together may leave unread; beyond it those go that have read nothing for
    /// longest.
    public var maximumUnsentBytes = 64 * 1_048_576
    /// How long running requests may take once the server is told to stop.
    public var drainTimeout = Duration.seconds(10)

    /// If given, clients must speak HTTPS. A handshake counts as part of the first header.
    public var tls: TLSServer?

    public init() {}
}

public import HTTP
public import Sockets

/// The limits of a server. Each one can be changed; none can be removed.
public struct ServerConfiguration: Sendable {
    /// The sizes of a request's parts.
    public var limits = ParserLimits()
    /// From a request's first byte to the end of its header.
    public var headerTimeout = Duration.seconds(10)
    /// From the end of the header to the end of the body, unless `bodyBytesPerTimeout` have arrived by
    /// then. In that case the body has as much time again.
    public var bodyTimeout = Duration.seconds(10)
    /// 64 kbit/s.
    public var bodyBytesPerTimeout = 81_920
    /// How long a connection may stay open without a request, and how long a client may read
    /// nothing while output is pending.
    public var idleTimeout = Duration.seconds(60)
    /// How long to wait, after the last response, for the client to close its side, and how many
    /// bytes to discard in that time. Then the connection is closed, and a client that is still
    /// sending may lose the response.
    public var lingerTimeout = Duration.seconds(2)
    public var lingerBytes = 16 * 1_048_576
    /// After this many requests a connection is closed, so that load balancers can redistribute
    /// clients.
    public var requestsPerConnection = 100_000
    /// The limit on connections, over all loops. Beyond it, a new client displaces the connection
    /// that has been idle longest. If none is idle, the new client is sent a 503 at once. There are a
    /// few more connections for clients that are only sent an error. When these are too many, the
    /// oldest is closed.
    public var maximumConnections = 8192
    /// The limit on the connections of one `owner`. Beyond it, a client is sent a 429 at once.
    public var connectionsPerAddress = 2048
    /// The network that a client's connections count towards; `nil` if the client may have any
    /// number.
    public var owner: @Sendable (ClientAddress) -> IPNetwork? = { client in
        guard case .internet(let address) = client else { return nil }
        return IPNetwork(of: address, prefixLength: address.bitCount)
    }
    /// How many requests a loop serves at once. Each of them holds what it has read from the
    /// database. Other requests wait for their turn, and are sent a 503 if that takes longer than
    /// `queueTimeout`.
    public var requestsAtOnce = 512
    public var queueTimeout = Duration.seconds(10)
    /// How many bodies that may be larger than `limits.bodyBytes` a loop awaits or holds at once.
    /// Beyond it, a client is sent a 503. Requests that wait for a smaller body may have half of
    /// all connections. `BodyShares` says how much of both one `owner` gets.
    public var largeBodiesAtOnce = 8
    /// How many bytes all clients together may leave unread. Beyond it, the connections whose
    /// clients have read nothing for longest are closed.
    public var maximumUnsentBytes = 64 * 1_048_576
    /// How long clients that have begun to connect may take to do so when the server stops: a few round
    /// trips.
    public var handshakeGrace = Duration.milliseconds(100)
    /// How long running requests may take after the server begins to drain.
    public var drainTimeout = Duration.seconds(10)

    /// If given, clients must speak HTTPS. The handshake counts towards the time for the first
    /// header.
    public var tls: TLSServer?

    public init() {}
}

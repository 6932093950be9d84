/// How to reach PostgreSQL, and the limits on its use.
public struct PostgresConfiguration: Sendable {
    /// A connection string for libpq: a URI, or keywords and values (section 34.1.1 of PostgreSQL's
    /// manual). libpq's own environment variables supply missing values.
    public let connectionString: String
    /// The number of connections for each loop. Short reads, long reads and writes share them; see
    /// `Lane`.
    public var connections = 5
    /// The largest number of short reads to send to one connection together. A slow read delays the
    /// reads after it.
    public var batchSize = 32
    /// The largest number of writes to send to one connection together.
    public var writeBatchSize = 8
    /// Whether equal reads that wait for a connection at the same time are sent only once.
    public var sharesReads = true
    /// How many queries and transactions may wait in each lane of a loop. Further ones are
    /// rejected.
    public var queueLimit = 1024
    /// How long a query or transaction may wait for a connection.
    public var acquisitionTimeout = Duration.seconds(2)
    /// How long PostgreSQL may work on one statement (`statement_timeout`).
    public var statementTimeout = Duration.seconds(5)
    /// How long to wait for a response after `statementTimeout`, in case not even PostgreSQL's error
    /// arrives.
    public var responseGrace = Duration.seconds(2)
    /// How long to try one address, unless the connection string has a `connect_timeout`.
    public var connectTimeout = Duration.seconds(3)
    /// The pauses between attempts to reconnect: from the lower bound, doubling each time, up to
    /// the upper bound.
    public var reconnectDelays = Duration.milliseconds(50)...Duration.milliseconds(500)

    /// The least time between two replacements of connections whose sessions had a fault.
    public var replacementInterval = Duration.seconds(2)
    /// What the pools that are made with copies of this configuration may have of `connections`, if
    /// PostgreSQL allows fewer.
    let shares = ConnectionShares()

    /// A statement that takes longer than this is logged, with its name.
    public var slowStatement = Duration.milliseconds(500)

    public init(connectionString: String) {
        self.connectionString = connectionString
    }

    /// Whether libpq can read the connection string.
    public var isReadable: Bool { (try? ConnectionParameters(connectionString)) != nil }
}

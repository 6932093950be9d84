/// How to reach PostgreSQL and how much of it to use.
public struct PostgresConfiguration: Sendable {
    /// A connection string as libpq takes it: a URI or keywords and values; section 34.1.1 of
    /// PostgreSQL's manual. What it leaves out comes from libpq's own environment variables.
    public var connectionString: String
    /// Connections for each loop, which short reads, long reads and writes share; see `Lane`.
    public var connections = 5
    /// The most short reads to send to one connection together. A slow one holds up those behind
    /// it.
    public var batchSize = 32
    /// The most writes to send to one connection together.
    public var writeBatchSize = 8
    /// Whether equal reads that wait for a connection together are sent once for all.
    public var sharesReads = true
    /// Queries and transactions that may wait in each lane of a loop; more are refused.
    public var queueLimit = 1024
    /// How long a query or transaction may wait for a connection.
    public var acquisitionTimeout = Duration.seconds(2)
    /// How long PostgreSQL may work on one statement (`statement_timeout`).
    public var statementTimeout = Duration.seconds(5)
    /// How long to try one address, unless the connection string has a `connect_timeout`.
    public var connectTimeout = Duration.seconds(3)
    /// How a broken connection's next attempts are spaced: from the first, doubling, to the last.
    public var reconnectDelays = Duration.milliseconds(50)...Duration.milliseconds(500)

    public init(connectionString: String) {
        self.connectionString = connectionString
    }
}

/// How PostgreSQL's own programs, such as pg_dump, connect to what a `BlockingSession` is connected to.
public struct ClientConnection: Sendable {
    /// The value of `--dbname`, which everyone on the machine can read in the list of processes. So the
    /// password is not in it.
    public let connectionString: String
    /// The variables for the program's environment, which only its user can read.
    public let environment: [String: String]

    /// - Parameter database: The database to connect to, instead of the connection string's.
    /// - Throws: `badConfiguration` if libpq can't read the connection string, or if it has a secret that
    ///   the program would not get.
    public init(
        connectionString: String, database: String? = nil, applicationName: String = "fave-admin"
    ) throws(PostgresError) {
        var parameters = try ConnectionParameters.forBlocking(
            connectionString, database: database, applicationName: applicationName)
        environment = try parameters.removePassword().map { ["PGPASSWORD": $0] } ?? [:]
        self.connectionString = parameters.connectionString
    }
}

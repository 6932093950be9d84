import Postgres

/// Whether PostgreSQL allows as many connections as a server opens, and some more for `fave-admin`.
struct ConnectionsCheck {
    /// How many the loops of a server open together.
    let wanted: Int
    /// How many PostgreSQL allows the server's role.
    let allowed: Int

    /// For `fave-admin`: a backup, maintenance, and an operator with psql.
    static let spare = 3

    init(wanted: Int, allowed: Int) {
        self.wanted = wanted
        self.allowed = allowed
    }

    /// - Parameter session: Of the role, and to the database, of the servers.
    init(_ session: BlockingSession, wanted: Int) throws(PostgresError) {
        let rows = try session.query(
            """
            SELECT least(
                (SELECT sum(CASE name WHEN 'max_connections' THEN 1 ELSE -1 END * setting::integer)
                 FROM pg_settings
                 WHERE name IN ('max_connections', 'superuser_reserved_connections',
                                'reserved_connections')),
                (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = session_user),
                (SELECT nullif(datconnlimit, -1) FROM pg_database
                 WHERE datname = current_database()))::integer
            """)
        self.init(wanted: wanted, allowed: try rows[0][0])
    }

    /// Sentences that tell the operator about problems and their remedies.
    var warnings: [String] {
        guard wanted + Self.spare > allowed else { return [] }
        return [
            """
            this server opens \(wanted) connections (LOOPS × DATABASE_CONNECTIONS), fave-admin needs \
            \(Self.spare) more, and PostgreSQL allows \(allowed) in all. Lower DATABASE_CONNECTIONS, or \
            raise max_connections
            """
        ]
    }
}

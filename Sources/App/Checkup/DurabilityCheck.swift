import Postgres

/// PostgreSQL's settings that decide whether a crash can lose acknowledged changes, or damage the
/// database.
struct DurabilityCheck {
    /// A setting from `pg_settings`, as it applies to a session of the servers.
    struct Setting {
        let value: String
        /// Where the value comes from.
        let source: String
    }

    /// By their names.
    let settings: [String: Setting]
    /// As SQL writes them.
    let role, database: String

    init(settings: [String: Setting], role: String, database: String) {
        self.settings = settings
        self.role = role
        self.database = database
    }

    /// - Parameter session: Of the role, and to the database, of the servers.
    init(_ session: BlockingSession) throws(PostgresError) {
        let rows = try session.query(
            """
            SELECT name, setting, source, quote_ident(session_user), quote_ident(current_database())
            FROM pg_settings
            WHERE name IN ('synchronous_commit', 'synchronous_standby_names', 'fsync',
                           'full_page_writes')
            """)
        var settings: [String: Setting] = [:]
        var (role, database) = ("", "")
        for row in rows {
            settings[try row[0]] = Setting(value: try row[1], source: try row[2])
            (role, database) = (try row[3], try row[4])
        }
        self.init(settings: settings, role: role, database: database)
    }

    /// Sentences that tell the operator about problems and their remedies.
    var warnings: [String] {
        var warnings: [String] = []
        switch value("synchronous_commit") {
        case "off":
            warnings.append(
                """
                synchronous_commit is off: PostgreSQL acknowledges saves before they are on the disk, \
                and a crash loses those of the last moment. \(remedy("synchronous_commit"))
                """)
        // Without synchronous standbys this is the same as "on". With them, "remote_write" loses
        // something only if the primary is lost while the standby's machine crashes.
        case "local" where !value("synchronous_standby_names").isEmpty:
            warnings.append(
                """
                synchronous_commit is local: PostgreSQL acknowledges saves before a synchronous standby \
                has them, and a failover loses those of the last moment. \
                \(remedy("synchronous_commit"))
                """)
        default: break
        }
        if value("fsync") == "off" {
            warnings.append(
                """
                fsync is off: PostgreSQL never waits for the disk, and a crash of the machine can damage \
                the database beyond repair. \(remedy("fsync"))
                """)
        }
        if value("full_page_writes") == "off" {
            warnings.append(
                """
                full_page_writes is off: a page of the database that is half written when the machine \
                crashes stays damaged, unless the file system prevents that, as ZFS does. \
                \(remedy("full_page_writes"))
                """)
        }
        return warnings
    }

    private func value(_ name: String) -> String { settings[name]?.value ?? "" }

    private func remedy(_ name: String) -> String {
        switch settings[name]?.source {
        case "user": "Run: ALTER ROLE \(role) RESET \(name)"
        case "database": "Run: ALTER DATABASE \(database) RESET \(name)"
        case "database user":
            "Run: ALTER ROLE \(role) IN DATABASE \(database) RESET \(name)"
        case "global": "Run: ALTER ROLE ALL RESET \(name)"
        case "client", "environment variable": "Take it out of DATABASE_URL or PGOPTIONS"
        case "command line": "Take it out of the options that PostgreSQL is started with"
        default: "Turn it on in postgresql.conf, and reload that"
        }
    }
}

import Encodings
import Glibc

/// The keywords and values of a connection string (section 34.1.2 of PostgreSQL's manual).
struct ConnectionParameters: Sendable {
    private(set) var values: [String: String]
    /// What libpq takes from the service and from the environment for keywords without a value.
    private let defaults: [String: String]

    /// - Throws: `badConfiguration` if libpq cannot read the string.
    init(_ configuration: PostgresConfiguration, applicationName: String) throws(PostgresError) {
        try self.init(configuration.connectionString)
        if setting("target_session_attrs") == nil {
            // A standby allows no writes, and its data may be old. libpq tries the next host.
            values["target_session_attrs"] = "primary"
        }
        values["client_encoding"] = "UTF8"
        values["fallback_application_name"] = applicationName
        // If a setting is repeated, the last value counts. So the operator's own options, and only
        // they, may replace the search path, but they can't replace `settings`.
        values["options"] =
            (["-c search_path=public", setting("options") ?? ""]
            + Self.settings(configuration).map { "-c \($0)=\($1)" }).joined(separator: " ")
        // These settings reveal within seconds that a network drops every packet; section 34.1.2.
        for (keyword, value) in [
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "2"),
            ("tcp_user_timeout", "8000"),
        ] where setting(keyword) == nil {
            values[keyword] = value
        }
    }

    /// For one connection at a time, whose statements may take as long as they need.
    static func forBlocking(
        _ connectionString: String, database: String? = nil, applicationName: String
    ) throws(PostgresError) -> ConnectionParameters {
        var configuration = PostgresConfiguration(connectionString: connectionString)
        configuration.statementTimeout = .zero
        var parameters = try ConnectionParameters(configuration, applicationName: applicationName)
        parameters.limitConnectTime(to: .seconds(5))
        if let database { parameters.values["dbname"] = database }
        return parameters
    }

    /// Only the values of a connection string.
    ///
    /// - Throws: `badConfiguration` if libpq cannot read the string.
    init(_ connectionString: String) throws(PostgresError) {
        values = try Self.parse(connectionString)
        defaults = Self.defaults(ofService: values["service"])
    }

    /// Every setting that the success, the result or the cost of our statements depends on. They are
    /// then the same with any settings of the role, the database or the server. What operators choose
    /// on purpose is left to them, such as `default_transaction_read_only` and `synchronous_commit`.
    private static func settings(_ configuration: PostgresConfiguration) -> [(String, String)] {
        let milliseconds = configuration.statementTimeout.milliseconds
        return [
            ("statement_timeout", "\(milliseconds)"), ("lock_timeout", "0"),
            ("idle_in_transaction_session_timeout", "\(milliseconds * 2)"),
            ("idle_session_timeout", "0"),
            ("default_transaction_isolation", "read\\ committed"), ("exit_on_error", "off"),
            ("jit", "off"), ("plan_cache_mode", "auto"), ("gin_fuzzy_search_limit", "0"),
            ("standard_conforming_strings", "on"), ("array_nulls", "on"),
            ("transform_null_equals", "off"), ("quote_all_identifiers", "off"),
            ("TimeZone", "UTC"), ("DateStyle", "ISO,YMD"), ("IntervalStyle", "postgres"),
            ("extra_float_digits", "1"), ("bytea_output", "hex"),
        ]
    }

    /// Settles, right after connecting, what can't be an option of every connection: settings that
    /// older servers don't know, or that only a superuser may give as options. A role without the
    /// triggers of tables that may not switch them on is refused. Returns no row.
    static let settle = """
        SELECT FROM (VALUES ('transaction_timeout', '0'), ('session_replication_role', 'origin'))
                    AS settings (name, value)
        WHERE CASE WHEN current_setting(name, true) <> value
                   THEN set_config(name, value, false) IS NULL END
        """

    /// The values as keywords and quoted values; section 34.1.1.1.
    var connectionString: String {
        values.sorted { $0.key < $1.key }.map { keyword, value in
            let quoted = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return "\(keyword)='\(quoted)'"
        }.joined(separator: " ")
    }

    /// Reads a connection string. The result may not be what the operator meant: if a password
    /// contains an @ or a /, libpq takes the rest of it for a host or a port.
    ///
    /// - Throws: `badConfiguration`, without libpq's message: it quotes what it could not read, which
    ///   may be a part of the password.
    static func parse(_ connectionString: String) throws(PostgresError) -> [String: String] {
        let unreadable = PostgresError(
            .badConfiguration,
            detail: """
                libpq can't read the connection string. In postgresql://user:password@host/name, \
                characters such as %, @ and / in a password are written as %25, %40 and %2F
                """)
        guard let values = ConnectionOptions(parsing: connectionString)?.values() else {
            throw unreadable
        }
        let isPort = (values["port"] ?? "").utf8.allSatisfy {
            $0.isASCIIDigit || $0 == UInt8(ascii: ",")
        }
        // A host that begins with @ is an abstract Unix socket.
        let hosts = (values["host"] ?? "").split(separator: ",")
        guard isPort, !hosts.contains(where: { $0.first != "/" && $0.dropFirst().contains("@") }),
            values["dbname"]?.contains("@") != true
        else { throw unreadable }
        return values
    }

    /// What libpq finds in a service file and in the environment (sections 34.15 and 34.17 of the
    /// manual), without its own defaults.
    private static func defaults(ofService service: String?) -> [String: String] {
        // libpq only looks for them when it begins to connect. The value that is not valid ends that
        // before it looks up a host.
        let keywords = ["gssencmode": "none of libpq's", "service": service ?? ""]
        let handle = ConnectionHandle(beginningWith: keywords)
        return handle?.options?.values { keywords[$0] == nil && $1 != $2 } ?? [:]
    }

    /// The operator's value for a keyword.
    private func setting(_ keyword: String) -> String? {
        if let value = values[keyword], !value.isEmpty { return value }
        return defaults[keyword]
    }

    /// How long libpq would try one address (`connect_timeout`), if the operator has set that.
    var connectTimeout: Duration? {
        guard let text = setting("connect_timeout"),
            let seconds = Int(text), seconds > 0
        else { return nil }
        // The manual says that one second is treated as two.
        return .seconds(max(2, seconds))
    }

    /// The hosts with their addresses and ports, in the operator's order.
    ///
    /// - Returns: `nil` if no host is set, or if the lists differ in length. libpq then chooses a
    ///   host or reports what is wrong.
    var hosts: [Host]? {
        func items(_ text: String?) -> [String]? {
            text?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let names = items(setting("host"))
        let addresses = items(setting("hostaddr"))
        let ports = items(setting("port")) ?? [""]
        guard let count = (names ?? addresses)?.count,
            addresses == nil || addresses?.count == count,
            ports.count == 1 || ports.count == count
        else { return nil }
        return (0..<count).map { index in
            Host(
                name: names?[index] ?? "", address: addresses?[index] ?? "",
                port: ports.count == 1 ? ports[0] : ports[index])
        }
    }

    /// Limits how long a blocking call may take to connect, unless the operator has set a limit.
    mutating func limitConnectTime(to limit: Duration) {
        guard connectTimeout == nil else { return }
        values["connect_timeout"] = "\(limit.components.seconds)"
    }

    /// Takes the password out, for a program that gets the other values on its command line.
    ///
    /// - Throws: `badConfiguration` if there are other secrets, or another password in the service file,
    ///   which would count more than one in the program's environment.
    mutating func removePassword() throws(PostgresError) -> String? {
        for keyword in Self.otherSecrets where values[keyword] != nil {
            throw PostgresError(
                .badConfiguration,
                detail: """
                    PostgreSQL's own programs can be told \(keyword) only by a service file. Move it from \
                    the connection string to one, and name that with service=
                    """)
        }
        guard let password = values.removeValue(forKey: "password") else { return nil }
        // A default that is not from the environment is from the service file.
        if let other = defaults["password"], other != password,
            unsafe other != getenv("PGPASSWORD").map({ unsafe String(cString: $0) })
        {
            throw PostgresError(
                .badConfiguration,
                detail: """
                    The service file has another password than the connection string, and PostgreSQL's \
                    own programs would use that. Remove one of the two
                    """)
        }
        return password
    }

    /// The values besides the password that no one else may read. libpq 18 has the last three.
    private static let otherSecrets = [
        "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key",
    ]

    /// The same parameters with only these hosts. libpq tries them one after the other.
    func replacingHosts(by hosts: [Host]) -> ConnectionParameters {
        var copy = self
        copy.values["host"] = hosts.map(\.name).joined(separator: ",")
        copy.values["hostaddr"] = hosts.map(\.address).joined(separator: ",")
        copy.values["port"] = hosts.map(\.port).joined(separator: ",")
        return copy
    }
}

/// A host of the connection string. libpq fills in what is empty.
struct Host: Hashable, Sendable {
    /// A name, an address, or the folder of a unix-domain socket.
    let name: String
    /// Its address, from `hostaddr` or from a lookup.
    var address: String
    let port: String

    var isToBeLookedUp: Bool {
        address.isEmpty && !name.isEmpty && !name.hasPrefix("/") && !name.hasPrefix("@")
    }

    func at(_ address: String) -> Host {
        var copy = self
        copy.address = address
        return copy
    }
}

extension Duration {
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}

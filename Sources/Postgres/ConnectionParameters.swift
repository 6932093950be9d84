import CLibPQ
import Encodings
import Glibc

/// The keywords and values of a connection string (section 34.1.2 of PostgreSQL's manual).
struct ConnectionParameters: Sendable {
    private var values: [String: String]

    /// - Throws: `badConfiguration` if libpq cannot read the string.
    init(_ configuration: PostgresConfiguration, applicationName: String) throws(PostgresError) {
        values = try Self.parse(configuration.connectionString)
        if !configuration.acceptsStandbys,
            setting("target_session_attrs", environment: "PGTARGETSESSIONATTRS") == nil
        {
            // A standby allows no writes, and its data may be old. libpq tries the next host.
            values["target_session_attrs"] = "primary"
        }
        values["client_encoding"] = "UTF8"
        values["fallback_application_name"] = applicationName
        let milliseconds = configuration.statementTimeout.milliseconds
        // Every setting that our statements depend on. They then mean and cost the same with any
        // settings of the role, the database or the server.
        let settings = [
            ("statement_timeout", "\(milliseconds)"),
            ("idle_in_transaction_session_timeout", "\(milliseconds * 2)"),
            ("default_transaction_isolation", "read\\ committed"),
            ("jit", "off"), ("plan_cache_mode", "auto"),
            ("standard_conforming_strings", "on"), ("TimeZone", "UTC"),
        ]
        // If a setting is repeated, the last value counts. So the connection string's own options,
        // and only they, may replace the search path, but they can't replace `settings`.
        let defaults = [("search_path", "public")]
        func options(_ settings: [(String, String)]) -> [String] {
            settings.map { "-c \($0)=\($1)" }
        }
        values["options"] =
            (options(defaults) + [values["options"] ?? ""] + options(settings))
            .joined(separator: " ")
        // These settings reveal within seconds that a network drops every packet; section 34.1.2.
        for (keyword, value) in [
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "2"),
            ("tcp_user_timeout", "8000"),
        ] where values[keyword] == nil {
            values[keyword] = value
        }
    }

    /// Only the values of a connection string.
    ///
    /// - Throws: `badConfiguration` if libpq cannot read the string.
    init(_ connectionString: String) throws(PostgresError) {
        values = try Self.parse(connectionString)
    }

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
        guard let options = PQconninfoParse(connectionString, nil) else { throw unreadable }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
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

    /// The operator's value for a keyword: from the connection string, or else from the environment
    /// (section 34.15 of the manual).
    private func setting(_ keyword: String, environment: String) -> String? {
        if let value = values[keyword], !value.isEmpty { return value }
        return getenv(environment).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// How long libpq would try one address (`connect_timeout`), if the operator has set that.
    var connectTimeout: Duration? {
        guard let text = setting("connect_timeout", environment: "PGCONNECT_TIMEOUT"),
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
        let names = items(setting("host", environment: "PGHOST"))
        let addresses = items(setting("hostaddr", environment: "PGHOSTADDR"))
        let ports = items(setting("port", environment: "PGPORT")) ?? [""]
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

    mutating func use(database: String) { values["dbname"] = database }

    /// The same parameters with only these hosts. libpq tries them one after the other.
    func replacingHosts(by hosts: [Host]) -> ConnectionParameters {
        var copy = self
        copy.values["host"] = hosts.map(\.name).joined(separator: ",")
        copy.values["hostaddr"] = hosts.map(\.address).joined(separator: ",")
        copy.values["port"] = hosts.map(\.port).joined(separator: ",")
        return copy
    }

    /// Calls `body` with the keywords and values as NULL-terminated arrays of C strings.
    func withCStrings<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?) ->
            Result
    ) -> Result {
        let pairs = values.sorted { $0.key < $1.key }
        let keywords = pairs.map { UnsafePointer(strdup($0.key)) } + [nil]
        let texts = pairs.map { UnsafePointer(strdup($0.value)) } + [nil]
        defer {
            for string in keywords + texts { free(UnsafeMutableRawPointer(mutating: string)) }
        }
        return keywords.withUnsafeBufferPointer { keywords in
            texts.withUnsafeBufferPointer { texts in
                body(keywords.baseAddress, texts.baseAddress)
            }
        }
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

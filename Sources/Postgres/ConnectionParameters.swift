import CLibPQ
import Glibc

/// The keywords and values of a connection string, section 34.1.2 of PostgreSQL's manual.
struct ConnectionParameters: Sendable {
    private var values: [String: String]

    /// - Throws: `badConfiguration` if libpq cannot read the string.
    init(_ configuration: PostgresConfiguration, applicationName: String) throws(PostgresError) {
        values = try Self.parse(configuration.connectionString)
        values["client_encoding"] = "UTF8"
        values["fallback_application_name"] = applicationName
        let milliseconds = configuration.statementTimeout.milliseconds
        // All that our statements depend on, so that they mean and cost the same whatever the role,
        // the database or the server has set.
        let settings = [
            ("statement_timeout", "\(milliseconds)"),
            ("idle_in_transaction_session_timeout", "\(milliseconds * 2)"),
            ("default_transaction_isolation", "read\\ committed"),
            ("jit", "off"), ("plan_cache_mode", "auto"),
            ("standard_conforming_strings", "on"), ("TimeZone", "UTC"),
        ]
        // The last one counts: only the connection string itself may name another schema.
        let defaults = [("search_path", "\"$user\",public")]
        func options(_ settings: [(String, String)]) -> [String] {
            settings.map { "-c \($0)=\($1)" }
        }
        values["options"] =
            (options(defaults) + [values["options"] ?? ""] + options(settings))
            .joined(separator: " ")
        // A network that swallows everything shows within some seconds; section 34.1.2.
        for (keyword, value) in [
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "2"),
            ("tcp_user_timeout", "8000"),
        ] where values[keyword] == nil {
            values[keyword] = value
        }
    }

    /// - Throws: `badConfiguration`, with libpq's words in `debugDescription`.
    static func parse(_ connectionString: String) throws(PostgresError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(connectionString, &message) else {
            defer { PQfreemem(message) }
            throw PostgresError(
                .badConfiguration, detail: message.map { String(cString: $0) } ?? "out of memory")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return values
    }

    /// What the operator has set, in the connection string or else in the environment; section
    /// 34.15 of the manual.
    private func setting(_ keyword: String, environment: String) -> String? {
        if let value = values[keyword], !value.isEmpty { return value }
        return getenv(environment).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// How long libpq would try one address (`connect_timeout`), if the operator has said so.
    var connectTimeout: Duration? {
        guard let text = setting("connect_timeout", environment: "PGCONNECT_TIMEOUT"),
            let seconds = Int(text), seconds > 0
        else { return nil }
        // As the manual has it: one second is taken for two.
        return .seconds(max(2, seconds))
    }

    /// The hosts with their addresses and ports, in the operator's order.
    ///
    /// - Returns: `nil` if libpq is to choose, or to say what is wrong with the lists.
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

    /// Lets a call that blocks end, where no operator has set how long it may take.
    mutating func limitConnectTime(to limit: Duration) {
        guard connectTimeout == nil else { return }
        values["connect_timeout"] = "\(limit.components.seconds)"
    }

    /// The same, for these hosts alone. libpq tries one after the other.
    func replacingHosts(by hosts: [Host]) -> ConnectionParameters {
        var copy = self
        copy.values["host"] = hosts.map(\.name).joined(separator: ",")
        copy.values["hostaddr"] = hosts.map(\.address).joined(separator: ",")
        copy.values["port"] = hosts.map(\.port).joined(separator: ",")
        return copy
    }

    /// Calls `body` with the keywords and values as arrays of C strings that end with NULL.
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

/// A host of the connection string. What is empty is left to libpq.
struct Host: Hashable, Sendable {
    /// A name, an address, or the folder of a unix-domain socket.
    let name: String
    /// Its address, if the operator has given it (`hostaddr`) or it was looked up.
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

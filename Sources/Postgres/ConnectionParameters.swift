import CLibPQ
import Dispatch
import Glibc
import Sockets

/// The keywords and values of a connection string, section 34.1.2 of PostgreSQL's manual.
struct ConnectionParameters: Sendable {
    private var values: [String: String]

    /// - Throws: `badConfiguration` if libpq cannot read the string.
    init(_ configuration: PostgresConfiguration, applicationName: String) throws(PostgresError) {
        values = try Self.parse(configuration.connectionString)
        values["client_encoding"] = "UTF8"
        values["fallback_application_name"] = applicationName
        let milliseconds = configuration.statementTimeout.milliseconds
        // All that our statements depend on, so that they mean and cost the same whatever the role, the
        // database or the server has set.
        let settings = [
            ("statement_timeout", "\(milliseconds)"),
            ("idle_in_transaction_session_timeout", "\(milliseconds * 2)"),
            ("default_transaction_isolation", "read\\ committed"),
            ("jit", "off"), ("plan_cache_mode", "auto"),
            ("standard_conforming_strings", "on"), ("TimeZone", "UTC"),
        ]
        let options = settings.map { "-c \($0)=\($1)" }
        values["options"] = ([values["options"] ?? ""] + options).joined(separator: " ")
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

    /// Adds `hostaddr`, because libpq would look names up on the calling thread.
    ///
    /// - Parameter completion: Called on the loop; at once if there is no name to look up.
    func resolve(
        on loop: EventLoop,
        completion: @escaping (Result<ConnectionParameters, PostgresError>) -> Void
    ) {
        let host = values["host"] ?? getenv("PGHOST").map { String(cString: $0) } ?? ""
        let hosts = host.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let needsLookUp = hosts.contains { !$0.isEmpty && !$0.hasPrefix("/") && !$0.hasPrefix("@") }
        guard needsLookUp, values["hostaddr"] == nil else { return completion(.success(self)) }
        // Only touched on the loop.
        nonisolated(unsafe) let completion = completion
        DispatchQueue.global().async {
            let result = lookUp(hosts)
            loop.execute { completion(result) }
        }
    }

    /// libpq takes lists of hosts, addresses and ports, of one length, and tries one after the
    /// other: a name with several addresses becomes several of each.
    private func lookUp(_ hosts: [String]) -> Result<ConnectionParameters, PostgresError> {
        let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        var found: [(host: String, address: String, port: String)] = []
        for (index, host) in hosts.enumerated() {
            let port = ports.count == hosts.count ? String(ports[index]) : String(ports.first ?? "")
            if host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") {
                found.append((host, "", port))
                continue
            }
            do {
                for address in try SocketAddress.resolve(host: host, port: 0) {
                    found.append((host, address.host, port))
                }
            } catch {
                return .failure(PostgresError(.unavailable, detail: "\(error)"))
            }
        }
        var copy = self
        copy.values["host"] = found.map(\.host).joined(separator: ",")
        copy.values["hostaddr"] = found.map(\.address).joined(separator: ",")
        if values["port"] != nil {
            copy.values["port"] = found.map(\.port).joined(separator: ",")
        }
        return .success(copy)
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

extension Duration {
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}

/// One thing an operator can set, by an environment variable of its name.
struct Setting: Sendable {
    let name: String
    /// In words, for `--help`, where the value itself would not say it.
    let standard: String
    let help: String
    /// Whether `NAME_FILE` may name a file that holds the value.
    var isSecret = false
}

extension Setting {
    static let databaseURL = Setting(
        name: "DATABASE_URL", standard: "libpq's own",
        help: "PostgreSQL, as libpq writes it: postgresql://user@host/name", isSecret: true)
    static let host = Setting(
        name: "HOST", standard: "127.0.0.1",
        help: "Address or name to listen on; unix:/path for a unix-domain socket")
    static let port = Setting(name: "PORT", standard: "8080", help: "Port to listen on")
    static let publicURL = Setting(
        name: "PUBLIC_URL", standard: "http://HOST:PORT",
        help: "Where people reach the site; stands in links and previews")
    static let loops = Setting(
        name: "LOOPS", standard: "one for each core", help: "Event loops, from 1 to 256")
    static let logLevel = Setting(
        name: "LOG_LEVEL", standard: "info",
        help: "trace, debug, info, notice, warning, error or critical")
    static let logFormat = Setting(name: "LOG_FORMAT", standard: "text", help: "text or json")
    static let featuredPlatforms = Setting(
        name: "FEATURED_PLATFORMS", standard: "48,130,6,49,167,508,169",
        help: "Platforms of the home page, by IGDB's id")
    static let jwtIssuer = Setting(
        name: "JWT_ISSUER", standard: "none", help: "Accept bearer tokens of this issuer, too")
    static let jwtAudience = Setting(
        name: "JWT_AUDIENCE", standard: "none", help: "What those tokens must be meant for")
    static let jwksURL = Setting(
        name: "JWKS_URL", standard: "none", help: "Where that issuer's key set is")
    static let jwtKeyFile = Setting(
        name: "JWT_KEY_FILE", standard: "none",
        help: "Instead of JWKS_URL: a file with the key set, or with a public key as JWK or PEM")
    static let viewsFolder = Setting(
        name: "VIEWS_DIR", standard: "Views, found from here or from the program",
        help: "Folder with the templates")
    static let migrationsFolder = Setting(
        name: "MIGRATIONS_DIR", standard: "Migrations, found likewise",
        help: "Folder with the migrations")

    static let databaseConnections = Setting(
        name: "DATABASE_CONNECTIONS", standard: "3", help: "Connections for each loop")
    static let databaseQueue = Setting(
        name: "DATABASE_QUEUE", standard: "1024",
        help: "Queries that may wait on each loop; more get a 503")
    static let databaseSharesReads = Setting(
        name: "DATABASE_SHARE_READS", standard: "on",
        help: "on or off: whether equal reads that wait for a connection are sent once for all")
    static let databaseWait = Setting(
        name: "DATABASE_WAIT_SECONDS", standard: "2", help: "Longest wait for a connection")
    static let statementTimeout = Setting(
        name: "STATEMENT_TIMEOUT_SECONDS", standard: "5", help: "Longest time for one statement")

    static let maximumConnections = Setting(
        name: "MAX_CONNECTIONS", standard: "8192", help: "Clients at once; more get a 503")
    static let requestsPerConnection = Setting(
        name: "MAX_REQUESTS_PER_CONNECTION", standard: "100000",
        help: "Requests before a connection is closed")
    static let requestLineBytes = Setting(
        name: "MAX_REQUEST_LINE_BYTES", standard: "8192", help: "Length of a request line")
    static let headerBytes = Setting(
        name: "MAX_HEADER_BYTES", standard: "32768", help: "Length of all header fields")
    static let headerCount = Setting(
        name: "MAX_HEADER_FIELDS", standard: "100", help: "Number of header fields")
    static let bodyBytes = Setting(
        name: "MAX_BODY_BYTES", standard: "65536", help: "Length of a request's body")
    static let headerTimeout = Setting(
        name: "HEADER_TIMEOUT_SECONDS", standard: "10", help: "Time to receive a header")
    static let bodyTimeout = Setting(
        name: "BODY_TIMEOUT_SECONDS", standard: "30", help: "Time to receive a body")
    static let idleTimeout = Setting(
        name: "IDLE_TIMEOUT_SECONDS", standard: "60", help: "Time between requests")
    static let drainTimeout = Setting(
        name: "DRAIN_TIMEOUT_SECONDS", standard: "10",
        help: "Time for running requests to end when the server is told to stop")

    private static let groups: [(String, [Setting])] = [
        (
            "Service",
            [.host, .port, .publicURL, .featuredPlatforms, .loops, .logLevel, .logFormat]
        ),
        (
            "Database",
            [
                .databaseURL, .databaseConnections, .databaseQueue, .databaseWait,
                .databaseSharesReads, .statementTimeout,
            ]
        ),
        ("Tokens of another issuer", [.jwtIssuer, .jwtAudience, .jwksURL, .jwtKeyFile]),
        ("Files", [.viewsFolder, .migrationsFolder]),
        (
            "Bounds",
            [
                .maximumConnections, .requestsPerConnection, .requestLineBytes, .headerBytes,
                .headerCount, .bodyBytes, .headerTimeout, .bodyTimeout, .idleTimeout,
                .drainTimeout,
            ]
        ),
    ]

    /// The list that `fave-server --help` shows.
    static var listing: String {
        let sections = groups.map { title, settings in
            let lines = settings.map { setting in
                let file =
                    setting.isSecret ? " (or the name of a file, in \(setting.name)_FILE)" : ""
                return """
                      \(setting.name)
                          \(setting.help)\(file). Default: \(setting.standard)
                    """
            }
            return "\(title.uppercased()):\n\(lines.joined(separator: "\n"))"
        }
        return "Settings come from environment variables.\n\n" + sections.joined(separator: "\n\n")
    }
}

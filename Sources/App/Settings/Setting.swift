import IGDB

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
        name: "PUBLIC_URL", standard: "http://HOST:PORT, or https with TLS",
        help: "Where people reach the site; stands in links and previews")
    static let strictTransportLifetime = Setting(
        name: "HSTS_SECONDS", standard: "31536000",
        help: """
            With an https PUBLIC_URL, how long browsers shall insist on https (HTTP Strict Transport \
            Security); 0 says nothing of it
            """)
    static let certificateFile = Setting(
        name: "TLS_CERTIFICATE_FILE", standard: "none, HTTP in the clear",
        help: """
            Speak HTTPS with this certificate: a PEM file that also holds the chain to its \
            authority. Several with commas between; clients get the one for the name they ask for, \
            or the first. Changed files are noticed
            """)
    static let keyFile = Setting(
        name: "TLS_KEY_FILE", standard: "none",
        help: "The certificate's private key, a PEM file; as many as certificates, in their order")
    static let redirectPort = Setting(
        name: "HTTP_REDIRECT_PORT", standard: "none",
        help: "A port of HOST on which clients that speak HTTP are sent to an https PUBLIC_URL")
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
        name: "JWT_ISSUER", standard: "OIDC_ISSUER",
        help: "Accept this issuer's access tokens at the API, if JWT_AUDIENCE is set, too")
    static let jwtAudience = Setting(
        name: "JWT_AUDIENCE", standard: "none", help: "What those tokens must be meant for")
    static let jwksURL = Setting(
        name: "JWKS_URL", standard: "as the issuer's metadata says",
        help: "Where that issuer's key set is")
    static let jwtKeyFile = Setting(
        name: "JWT_KEY_FILE", standard: "none",
        help: "Instead of JWKS_URL: a file with the key set, or with a public key as JWK or PEM")

    static let signUp = Setting(
        name: "SIGN_UP", standard: "open",
        help: "open or closed: whether new people may make an account, in whatever way")
    static let localAccounts = Setting(
        name: "LOCAL_ACCOUNTS", standard: "on",
        help: "on or off: whether there are accounts with passwords of our own")
    static let passwordCost = Setting(
        name: "PASSWORD_COST", standard: "15",
        help: """
            The binary logarithm of scrypt's N: one hash takes 2^N KiB. Others are renewed when \
            their owners sign in
            """)
    static let passwordHashers = Setting(
        name: "PASSWORD_HASHERS", standard: "half of the cores",
        help: "Passwords that are hashed at once; 64 more may wait")
    static let signInsPerName = Setting(
        name: "SIGN_IN_ATTEMPTS_PER_NAME", standard: "10",
        help: """
            Failed sign-ins with one name from one address in 15 minutes; from all addresses \
            together ten times as many
            """)
    static let signInsPerAddress = Setting(
        name: "SIGN_IN_ATTEMPTS_PER_ADDRESS", standard: "50",
        help: "Failed sign-ins from one address in 15 minutes")
    static let signUpsPerAddress = Setting(
        name: "SIGN_UPS_PER_ADDRESS", standard: "20",
        help: "New accounts with passwords from one address in an hour")
    static let sessionIdleDays = Setting(
        name: "SESSION_IDLE_DAYS", standard: "30",
        help: "Days after which an unused session ends")
    static let sessionDays = Setting(
        name: "SESSION_DAYS", standard: "365", help: "Days after which every session ends")
    static let accessTokenMinutes = Setting(
        name: "ACCESS_TOKEN_MINUTES", standard: "15",
        help: "Life of the API's access tokens, up to a day")
    static let trustedProxies = Setting(
        name: "TRUSTED_PROXIES", standard: "none",
        help: """
            addresses or networks (10.0.0.0/8) of the proxies whose X-Forwarded-For is believed, with \
            commas between; "local" for whoever comes by a unix-domain socket
            """)

    static let crossOrigins = Setting(
        name: "CORS_ORIGINS", standard: "*",
        help: """
            the sites whose pages may write by the API, with commas between (https://a.example), * \
            for all or none; all may read what is public
            """)
    static let cacheSeconds = Setting(
        name: "API_CACHE_SECONDS", standard: "15",
        help: """
            How long shared caches may answer public reads of the API by themselves; with 0 they \
            always ask
            """)
    static let readsPerMinute = Setting(
        name: "API_READS_PER_MINUTE", standard: "600",
        help: "Reads of the API from one address, and by one user, on each process; 0 for any")
    static let writesPerMinute = Setting(
        name: "API_WRITES_PER_MINUTE", standard: "120", help: "Likewise what is not a read")

    static let igdbClientID = Setting(
        name: "IGDB_CLIENT_ID", standard: "none, the catalogue answers",
        help: "Ask IGDB for games, by this application of Twitch's")
    static let igdbClientSecret = Setting(
        name: "IGDB_CLIENT_SECRET", standard: "none", help: "Its secret", isSecret: true)
    static let igdbURL = Setting(
        name: "IGDB_URL", standard: IGDBConfiguration.standardAPIURL, help: "Where IGDB is")
    static let twitchTokenURL = Setting(
        name: "TWITCH_TOKEN_URL", standard: IGDBConfiguration.standardTokenURL,
        help: "Where its tokens come from")
    static let igdbWait = Setting(
        name: "IGDB_WAIT_SECONDS", standard: "2",
        help: "Longest wait for IGDB before the catalogue answers")
    static let igdbMaximumAge = Setting(
        name: "IGDB_MAX_AGE_HOURS", standard: "24",
        help: "IGDB is asked again before older answers are given; behind them from half that age")
    static let searchMemory = Setting(
        name: "SEARCH_MEMORY", standard: "1000", help: "Answers to searches that memory holds")

    static let openIDIssuer = Setting(
        name: "OIDC_ISSUER", standard: "none",
        help: "Sign people in with this OpenID Connect provider; as its metadata writes it")
    static let openIDClientID = Setting(
        name: "OIDC_CLIENT_ID", standard: "none", help: "What we are called there")
    static let openIDClientSecret = Setting(
        name: "OIDC_CLIENT_SECRET", standard: "none, a public client",
        help: "Our secret there", isSecret: true)
    static let openIDName = Setting(
        name: "OIDC_NAME", standard: "the issuer's host", help: "What its button says")
    static let openIDScopes = Setting(
        name: "OIDC_SCOPES", standard: "openid profile email", help: "What we ask for")
    static let openIDUsernameClaim = Setting(
        name: "OIDC_USERNAME_CLAIM", standard: "none",
        help: """
            The claim to make usernames of, before preferred_username, nickname and the mail \
            address up to its @
            """)

    /// The same setting of another provider: OIDC_2_ISSUER, for example.
    func ofProvider(_ number: Int) -> Setting {
        guard number > 1 else { return self }
        return Setting(
            name: name.replacing("OIDC_", with: "OIDC_\(number)_"), standard: standard, help: help,
            isSecret: isSecret)
    }

    static let providerCount = 3

    static let databaseConnections = Setting(
        name: "DATABASE_CONNECTIONS", standard: "5",
        help: """
            Connections for each loop. From three on, writes and long searches have some of their \
            own, which pages don't wait for
            """)
    static let databaseQueue = Setting(
        name: "DATABASE_QUEUE", standard: "1024",
        help: """
            Queries of each kind (short reads, long ones, writes) that may wait on each loop; more \
            get a 503
            """)
    static let databaseSharesReads = Setting(
        name: "DATABASE_SHARE_READS", standard: "on",
        help: "on or off: whether equal reads that wait for a connection are sent once for all")
    static let databaseWait = Setting(
        name: "DATABASE_WAIT_SECONDS", standard: "2", help: "Longest wait for a connection")
    static let statementTimeout = Setting(
        name: "STATEMENT_TIMEOUT_SECONDS", standard: "5", help: "Longest time for one statement")

    static let maximumConnections = Setting(
        name: "MAX_CONNECTIONS", standard: "8192",
        help: """
            Clients at once, or fewer if there are too few descriptors (ulimit -n). For one more the \
            connection goes that has idled longest; if none idles, it gets a 503
            """)
    static let connectionsPerAddress = Setting(
        name: "CONNECTIONS_PER_ADDRESS", standard: "a quarter of all",
        help: """
            Connections of one address (/64 for IPv6), but for trusted proxies and unix-domain \
            sockets; more get a 429
            """)
    static let unsentMegabytes = Setting(
        name: "MAX_UNSENT_MEGABYTES", standard: "64",
        help: "What all clients together may leave unread; the slowest are let go")
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
    static let shutdownDelay = Setting(
        name: "SHUTDOWN_DELAY_SECONDS", standard: "0",
        help: """
            Time from SIGTERM, when /ready begins to say no, until the server stops listening: for \
            load balancers to notice
            """)

    private static let openID: [Setting] = [
        .openIDIssuer, .openIDClientID, .openIDClientSecret, .openIDName, .openIDScopes,
        .openIDUsernameClaim,
    ]

    /// The variables whose values must not be shown.
    static var secretNames: Set<String> {
        Set(
            [databaseURL.name, igdbClientSecret.name]
                + (1...providerCount).map { openIDClientSecret.ofProvider($0).name })
    }

    private static let groups: [(String, [Setting])] = [
        (
            "Service",
            [
                .host, .port, .publicURL, .strictTransportLifetime, .featuredPlatforms, .loops,
                .logLevel, .logFormat,
            ]
        ),
        ("HTTPS", [.certificateFile, .keyFile, .redirectPort]),
        (
            "Database",
            [
                .databaseURL, .databaseConnections, .databaseQueue, .databaseWait,
                .databaseSharesReads, .statementTimeout,
            ]
        ),
        (
            "Accounts",
            [
                .signUp, .localAccounts, .passwordCost, .passwordHashers, .signInsPerName,
                .signInsPerAddress, .signUpsPerAddress, .sessionIdleDays, .sessionDays,
                .accessTokenMinutes, .trustedProxies,
            ]
        ),
        (
            "Games from IGDB",
            [
                .igdbClientID, .igdbClientSecret, .igdbURL, .twitchTokenURL, .igdbWait,
                .igdbMaximumAge, .searchMemory,
            ]
        ),
        (
            "Sign-in by OpenID Connect (more providers by OIDC_2_ISSUER … and OIDC_3_ISSUER …)",
            openID
        ),
        ("API", [.crossOrigins, .cacheSeconds, .readsPerMinute, .writesPerMinute]),
        ("Access tokens of another issuer", [.jwtIssuer, .jwtAudience, .jwksURL, .jwtKeyFile]),
        (
            "Bounds",
            [
                .maximumConnections, .connectionsPerAddress, .unsentMegabytes,
                .requestsPerConnection, .requestLineBytes, .headerBytes, .headerCount, .bodyBytes,
                .headerTimeout, .bodyTimeout, .idleTimeout, .shutdownDelay, .drainTimeout,
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

import FaveGames
import Foundation
import GameSearch
import HTTP
import HTTPServer
import IGDB
import Identity
import Logging
import Postgres
import Web

/// Settings that belong together. Its stored properties are the settings, in the order of the help:
/// one more is declared here, and read in `ServerSettings`.
protocol SettingGroup: Sendable {
    var title: String { get }
}

extension SettingGroup {
    var settings: [any AnySetting] {
        Mirror(reflecting: self).children.compactMap { $0.value as? any AnySetting }
    }
}

/// Everything that an operator can set.
enum Settings {
    static let service = Service()
    static let https = HTTPS()
    static let database = Database()
    static let accounts = Accounts()
    static let igdb = IGDB()
    static let openID = OpenID(number: 1)
    static let api = API()
    static let issuer = Issuer()
    static let bounds = Bounds()

    private static let groups: [any SettingGroup] = [
        service, https, database, accounts, igdb, openID, api, issuer, bounds,
    ]

    /// The providers that people may sign in with, by their settings.
    static let openIDProviders = (1...3).map { OpenID(number: $0) }

    /// The variables whose values must not be shown.
    static var secretNames: Set<String> {
        let all = (groups + openIDProviders).flatMap(\.settings)
        return Set(all.filter(\.isSecret).map(\.name))
    }

    /// The list that `fave-server --help` shows.
    static var listing: String {
        let sections = groups.map { group in
            let lines = group.settings.map { setting in
                let file =
                    setting.isSecret ? " (or the name of a file, in \(setting.name)_FILE)" : ""
                return """
                      \(setting.name)
                          \(setting.help)\(file). Default: \(setting.standardText)
                    """
            }
            return "\(group.title.uppercased()):\n\(lines.joined(separator: "\n"))"
        }
        return "Settings come from environment variables.\n\n" + sections.joined(separator: "\n\n")
    }

    struct Service: SettingGroup {
        var title: String { "Service" }
        let host = Setting.text(
            "HOST", "Address or name to listen on; unix:/path for a unix-domain socket",
            default: "127.0.0.1")
        let port = Setting.number("PORT", "Port to listen on", in: 0...65_535, default: 8080)
        let publicURL = Setting.text(
            "PUBLIC_URL", "Where people reach the site; used in links and previews",
            shownAs: "http://HOST:PORT, or https with TLS")
        let strictTransportLifetime = Setting.number(
            "HSTS_SECONDS",
            """
            With an https PUBLIC_URL, how long browsers must insist on https (HTTP Strict Transport \
            Security); 0 leaves the header out
            """, in: 0...63_072_000, default: WebSettings.defaultStrictTransportLifetime)
        let featuredPlatforms = Setting(
            "FEATURED_PLATFORMS", "Platforms of the home page, by IGDB's id",
            default: WebSettings.defaultFeaturedPlatforms,
            shownAs: WebSettings.defaultFeaturedPlatforms.map(String.init).joined(separator: ","),
            requirement: "ids of platforms, with commas between"
        ) { text in
            let ids = text.commaSeparated.map(GameID.parse)
            return ids.contains(nil) ? nil : ids.compactMap { $0 }
        }
        let loops = Setting.number(
            "LOOPS", "Event loops, from 1 to 256", in: 1...256,
            default: ProcessInfo.processInfo.activeProcessorCount, shownAs: "one for each core")
        let logLevel = Setting(
            "LOG_LEVEL", Logger.Level.words, default: Logger.Level.info,
            shownAs: Logger.Level.info.rawValue, requirement: Logger.Level.words
        ) { text in
            Logger.Level(rawValue: text.lowercased())
        }
        let logsAreJSON = Setting.choice(
            "LOG_FORMAT", "how log messages are written", on: "json", off: "text", default: false)
    }

    struct HTTPS: SettingGroup {
        var title: String { "HTTPS" }
        let certificateFiles = Setting.files(
            "TLS_CERTIFICATE_FILE",
            """
            Speak HTTPS with this certificate: a PEM file that also holds the chain to its \
            authority. Several with commas between; clients get the one for the name they ask for, \
            or the first. Changed files are noticed
            """, shownAs: "none, HTTP in the clear")
        let keyFiles = Setting.files(
            "TLS_KEY_FILE",
            "The certificate's private key, a PEM file; as many as certificates, in their order",
            shownAs: "none")
        let redirectPort = Setting.number(
            "HTTP_REDIRECT_PORT",
            "A port of HOST on which clients that speak HTTP are sent to an https PUBLIC_URL",
            in: 0...65_535, shownAs: "none")
    }

    struct Database: SettingGroup {
        private static let standard = PostgresConfiguration(connectionString: "")

        var title: String { "Database" }
        let url = Setting.text(
            "DATABASE_URL", "PostgreSQL, as libpq writes it: postgresql://user@host/name",
            default: standard.connectionString, shownAs: "libpq's own", isSecret: true)
        let connections = Setting.number(
            "DATABASE_CONNECTIONS",
            """
            Connections for each loop. From three on, writes and long searches have some of their \
            own, which pages don't wait for
            """, in: 1...100, default: standard.connections)
        let queueLimit = Setting.number(
            "DATABASE_QUEUE",
            """
            Queries of each kind (short reads, long ones, writes) that may wait on each loop; more \
            get a 503
            """, in: 1...1_000_000, default: standard.queueLimit)
        let wait = Setting.seconds(
            "DATABASE_WAIT_SECONDS", "Longest wait for a connection",
            default: standard.acquisitionTimeout)
        let sharesReads = Setting.choice(
            "DATABASE_SHARE_READS", "whether equal reads that wait for a connection are sent once",
            default: standard.sharesReads)
        let statementTimeout = Setting.seconds(
            "STATEMENT_TIMEOUT_SECONDS", "Longest time for one statement",
            default: standard.statementTimeout)
    }

    struct Accounts: SettingGroup {
        private static let standard = AccountPolicy()
        private static let attempts = 1...1_000_000

        var title: String { "Accounts" }
        let signUpIsOpen = Setting.choice(
            "SIGN_UP", "whether new people may make an account, in whatever way", on: "open",
            off: "closed", default: standard.signUpIsOpen)
        let hasLocalAccounts = Setting.choice(
            "LOCAL_ACCOUNTS", "whether there are accounts with passwords of our own",
            default: standard.hasLocalAccounts)
        let passwordCost = Setting.number(
            "PASSWORD_COST",
            """
            The binary logarithm of scrypt's N: one hash takes 2^N KiB. Others are renewed when \
            their owners sign in
            """, in: 4...20, default: 15)
        let passwordHashers = Setting.number(
            "PASSWORD_HASHERS",
            "Threads that hash passwords and draw cards of lists; 128 jobs may wait", in: 1...64,
            default: max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
            shownAs: "half of the cores")
        let signInsPerName = Setting.number(
            "SIGN_IN_ATTEMPTS_PER_NAME",
            """
            Failed sign-ins with one name from one address in 15 minutes; from all addresses \
            together ten times as many
            """, in: attempts, default: standard.attemptsPerName.count)
        let signInsPerAddress = Setting.number(
            "SIGN_IN_ATTEMPTS_PER_ADDRESS", "Failed sign-ins from one address in 15 minutes",
            in: attempts, default: standard.attemptsPerAddress.count)
        let signUpsPerAddress = Setting.number(
            "SIGN_UPS_PER_ADDRESS", "New accounts with passwords from one address in an hour",
            in: attempts, default: standard.signUpsPerAddress.count)
        let sessionIdle = Setting.time(
            "SESSION_IDLE_DAYS", "Days after which an unused session ends", in: 1...3650,
            of: .seconds(86_400), default: standard.sessionLifetime.idle)
        let session = Setting.time(
            "SESSION_DAYS", "Days after which every session ends", in: 1...3650,
            of: .seconds(86_400), default: standard.sessionLifetime.absolute)
        let accessToken = Setting.time(
            "ACCESS_TOKEN_MINUTES", "Life of the API's access tokens, up to a day", in: 1...1440,
            of: .seconds(60), default: standard.accessTokenLifetime)
        let trustedProxies = Setting(
            "TRUSTED_PROXIES",
            """
            Addresses or networks (10.0.0.0/8) of the proxies whose X-Forwarded-For is believed, \
            with commas between; "local" for all that come by a unix-domain socket
            """, default: TrustedProxies(), shownAs: "none",
            requirement: "addresses or networks, or \"local\", with commas between"
        ) { text in
            TrustedProxies(text)
        }
    }

    struct IGDB: SettingGroup {
        private static let terms = GameDirectory.Terms()

        var title: String { "Games from IGDB" }
        let clientID = Setting.text(
            "IGDB_CLIENT_ID", "Ask IGDB for games, by this application of Twitch's",
            shownAs: "none, the catalogue answers")
        let clientSecret = Setting.text("IGDB_CLIENT_SECRET", "Its secret", isSecret: true)
        let apiURL = Setting.address(
            "IGDB_URL", "Where IGDB is", default: IGDBConfiguration.standardAPIURL)
        let tokenURL = Setting.address(
            "TWITCH_TOKEN_URL", "Where its tokens come from",
            default: IGDBConfiguration.standardTokenURL)
        let wait = Setting.seconds(
            "IGDB_WAIT_SECONDS", "Longest wait for IGDB before the catalogue answers",
            default: terms.patience)
        let maximumAge = Setting.time(
            "IGDB_MAX_AGE_HOURS",
            "IGDB is asked again before older answers are given; behind them from half that age",
            in: 1...8760, of: .seconds(3600), default: terms.maximumAge)
        let memory = Setting.number(
            "SEARCH_MEMORY", "Answers to searches that memory holds", in: 10...20_000,
            default: terms.memoryLimit)
    }

    struct OpenID: SettingGroup {
        let number: Int
        var title: String {
            "Sign-in by OpenID Connect (more providers by OIDC_2_ISSUER … and OIDC_3_ISSUER …)"
        }
        let issuer: Setting<String?>
        let clientID: Setting<String?>
        let clientSecret: Setting<String?>
        let name: Setting<String?>
        let scopes: Setting<String>
        let usernameClaim: Setting<String?>

        init(number: Int) {
            self.number = number
            let prefix = number == 1 ? "OIDC_" : "OIDC_\(number)_"
            issuer = .text(
                prefix + "ISSUER",
                "Sign people in with this OpenID Connect provider; as its metadata writes it")
            clientID = .text(prefix + "CLIENT_ID", "What we are called there")
            clientSecret = .text(
                prefix + "CLIENT_SECRET", "Our secret there", shownAs: "none, a public client",
                isSecret: true)
            name = .text(prefix + "NAME", "What its button says", shownAs: "the issuer's host")
            scopes = .text(prefix + "SCOPES", "What we ask for", default: "openid profile email")
            usernameClaim = .text(
                prefix + "USERNAME_CLAIM",
                """
                The claim to make usernames of, before preferred_username, nickname and the mail \
                address up to its @
                """)
        }
    }

    struct API: SettingGroup {
        private static let limits = RateLimits()

        var title: String { "API" }
        let crossOrigins = Setting(
            "CORS_ORIGINS",
            """
            The sites whose pages may write by the API, with commas between (https://a.example), * \
            for all or none; all may read what is public
            """, default: AllowedOrigins.any, shownAs: "*",
            requirement: "origins (https://a.example) with commas between, * or none"
        ) { text in
            AllowedOrigins(text)
        }
        let cacheSeconds = Setting.number(
            "API_CACHE_SECONDS",
            """
            How long shared caches may answer public reads of the API by themselves; with 0 they \
            always ask
            """, in: 0...86_400, default: WebSettings.defaultCacheLifetime)
        let readsPerMinute = Setting.number(
            "API_READS_PER_MINUTE",
            "Reads of the API from one address, and by one user, on each process; 0 for any",
            in: 0...1_000_000, default: limits.reads)
        let writesPerMinute = Setting.number(
            "API_WRITES_PER_MINUTE", "Likewise what is not a read", in: 0...1_000_000,
            default: limits.writes)
    }

    struct Issuer: SettingGroup {
        var title: String { "Access tokens of another issuer" }
        let issuer = Setting.text(
            "JWT_ISSUER",
            "Accept this issuer's access tokens at the API, if JWT_AUDIENCE is set, too",
            shownAs: "OIDC_ISSUER")
        let audience = Setting.text("JWT_AUDIENCE", "What those tokens must be meant for")
        let keySetURL = Setting.text(
            "JWKS_URL", "Where that issuer's key set is", shownAs: "as the issuer's metadata says")
        let keyFile = Setting.text(
            "JWT_KEY_FILE",
            "Instead of JWKS_URL: a file with the key set, or with a public key as JWK or PEM")
    }

    struct Bounds: SettingGroup {
        private static let standard = ServerConfiguration()
        private static let limits = ParserLimits()

        var title: String { "Bounds" }
        let connections = Setting.number(
            "MAX_CONNECTIONS",
            """
            Clients at once, or fewer if there are too few descriptors (ulimit -n). For one more the \
            connection is closed that has idled longest; if none idles, it gets a 503
            """, in: 1...1_000_000, default: standard.maximumConnections)
        let connectionsPerAddress = Setting.number(
            "CONNECTIONS_PER_ADDRESS",
            """
            Connections of one address (/64 for IPv6), but for trusted proxies and unix-domain \
            sockets; more get a 429
            """, in: 1...1_000_000, shownAs: "a quarter of all")
        let unsentMegabytes = Setting.number(
            "MAX_UNSENT_MEGABYTES",
            "What all clients together may leave unread; the slowest are disconnected",
            in: 1...65_536, default: standard.maximumUnsentBytes / 1_048_576)
        let requestsPerConnection = Setting.number(
            "MAX_REQUESTS_PER_CONNECTION", "Requests before a connection is closed",
            in: 1...Int.max, default: standard.requestsPerConnection)
        let requestLineBytes = Setting.number(
            "MAX_REQUEST_LINE_BYTES", "Length of a request line", in: 64...1_048_576,
            default: limits.requestLineBytes)
        let headerBytes = Setting.number(
            "MAX_HEADER_BYTES", "Length of all header fields", in: 256...1_048_576,
            default: limits.headerBytes)
        let headerCount = Setting.number(
            "MAX_HEADER_FIELDS", "Number of header fields", in: 4...10_000,
            default: limits.headerCount)
        let bodyBytes = Setting.number(
            "MAX_BODY_BYTES", "Length of a request's body", in: 1024...67_108_864, default: 65_536)
        let headerTimeout = Setting.seconds(
            "HEADER_TIMEOUT_SECONDS", "Time to receive a header", default: standard.headerTimeout)
        let bodyTimeout = Setting.seconds(
            "BODY_TIMEOUT_SECONDS", "Time to receive a body", default: standard.bodyTimeout)
        let idleTimeout = Setting.seconds(
            "IDLE_TIMEOUT_SECONDS", "Time between requests", default: standard.idleTimeout)
        let shutdownDelay = Setting.time(
            "SHUTDOWN_DELAY_SECONDS",
            """
            Time from SIGTERM, when /ready begins to say no, until the server stops listening: for \
            load balancers to notice
            """, in: 0...3600, of: .seconds(1), default: .zero)
        let drainTimeout = Setting.seconds(
            "DRAIN_TIMEOUT_SECONDS",
            "Time for running requests to end when the server is told to stop",
            default: standard.drainTimeout)
    }
}

extension Logger.Level {
    fileprivate static var words: String {
        let words = allCases.map(\.rawValue)
        return words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    }
}

extension Setting where Value == [String] {
    /// Paths with commas between.
    fileprivate static func files(
        _ name: String, _ help: String, shownAs standardText: String
    ) -> Setting {
        Setting(
            name, help, default: [], shownAs: standardText,
            requirement: "files, with a comma between two and none before or after them"
        ) { text in
            let paths = text.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return paths.contains("") ? nil : paths
        }
    }
}

import Endpoints
import FaveGames
import Foundation
import GameSearch
import HTTP
import HTTPServer
import IGDB
import Identity
import Languages
import Logging
import Outbox
import Postgres
import Views
import Web

/// A group of settings. Its stored properties are the settings, in the order of `--help`. To add a
/// setting, declare it in its group and read it in `ServerSettings`.
protocol SettingGroup: Sendable {
    var title: String { get }
}

extension SettingGroup {
    var settings: [any AnySetting] {
        Mirror(reflecting: self).children.compactMap { $0.value as? any AnySetting }
    }
}

/// All settings, by group.
enum Settings {
    static let service = Service()
    static let site = Site()
    static let https = HTTPS()
    static let monitoring = Monitoring()
    static let database = Database()
    static let cache = Cache()
    static let accounts = Accounts()
    static let mail = Mail()
    static let games = Games()
    static let igdb = IGDB()
    static let openID = OpenID(number: 1)
    static let api = API()
    static let issuer = Issuer()
    static let bounds = Bounds()
    static let webhooks = Webhooks()
    static let unlisted = Unlisted()

    /// The groups that are listed.
    static let groups: [any SettingGroup] = [
        service, site, https, monitoring, database, cache, accounts, mail, games, igdb, openID, api,
        issuer, bounds, webhooks,
    ]

    /// The settings of each provider that people may sign in with.
    static let openIDProviders = (1...3).map { OpenID(number: $0) }

    /// What most sites set.
    private static let usual: [any AnySetting] = [
        service.publicURL, accounts.trustedProxies, database.url, site.name, site.contact,
        site.rulesFile, mail.url, mail.from,
    ]

    /// Each listed setting once, under its heading: first those that most sites set, then the others by
    /// group.
    static var sections: [(title: String, settings: [any AnySetting])] {
        let names = Set(usual.map(\.name))
        return [("What most sites set", usual)]
            + groups.map { group in
                (group.title, group.settings.filter { !names.contains($0.name) })
            }
    }

    /// Each setting once, with those of all providers, and those that no list shows.
    static let all: [any AnySetting] = {
        let others = openIDProviders.filter { $0.number > 1 }
        return (groups + others + [unlisted]).flatMap(\.settings)
    }()

    /// The names of the variables whose values must never be shown.
    static var secretNames: Set<String> { Set(all.filter(\.isSecret).map(\.name)) }

    /// The list that `fave-server --help` shows.
    static var listing: String {
        let sections = sections.map { section in
            let lines = section.settings.map { setting in
                """
                  \(setting.name)
                      \(setting.fullHelp). Default: \(setting.standardText)
                """
            }
            return "\(section.title.uppercased()):\n\(lines.joined(separator: "\n"))"
        }
        return "\(sources)\n\n" + sections.joined(separator: "\n\n")
    }

    /// Where settings come from, as sentences.
    static let sources = """
        Settings come from environment variables, and those of an installed site also from its files in \
        /etc/fave-games. An empty one counts as not set.
        """

    struct Service: SettingGroup {
        var title: String { "Service" }
        let host = Setting(
            "HOST", "Address or host name to listen on; unix:/path for a unix-domain socket",
            default: "127.0.0.1", shownAs: "127.0.0.1",
            requirement: "an address, a host name or unix:/path"
        ) { text in
            text.hasPrefix("unix:") || !text.contains { $0.isWhitespace } ? text : nil
        }
        let port = Setting.number("PORT", "Port to listen on", in: 0...65_535, default: 8080)
        let publicURL = Setting.text(
            "PUBLIC_URL", "The site's public address; used in links and previews",
            shownAs: "http://HOST:PORT, or https with TLS")
        let sourceURL = Setting(
            "SOURCE_URL", "Address of this program's source code, linked from all pages",
            default: nil as String?, shownAs: "none", requirement: "an https address"
        ) { text in
            guard text.wholeMatch(of: /https:\/\/[^\s"<>]{1,500}/) != nil else { return nil }
            return text
        }
        let coverImagesURL = Setting(
            "COVER_IMAGES_URL",
            "Where the pictures of lists get covers from; off to draw them without covers",
            default: CoverImage.folder, shownAs: CoverImage.folder,
            requirement: "an http or https address, or off"
        ) { text in
            text == "off" || text.wholeMatch(of: /https?:\/\/[^\s"<>]{1,500}[^\s"<>\/]/) != nil
                ? text : nil
        }
        let strictTransportLifetime = Setting.number(
            "HSTS_SECONDS",
            """
            With an https PUBLIC_URL, how long browsers must insist on https (HTTP Strict \
            Transport Security); 0 omits the header
            """, in: 0...63_072_000, default: WebSettings.defaultStrictTransportLifetime)
        let featuredPlatforms = Setting(
            "FEATURED_PLATFORMS", "IGDB ids of the platforms on the home page, separated by commas",
            default: WebSettings.defaultFeaturedPlatforms,
            shownAs: WebSettings.defaultFeaturedPlatforms.map(String.init).joined(separator: ","),
            requirement: "ids of platforms, separated by commas", isShareable: true
        ) { text in
            let ids = text.commaSeparated.map(GameID.parse)
            return ids.contains(nil) ? nil : ids.compactMap { $0 }
        }
        let loops = Setting.number(
            "LOOPS", "Number of event loops, from 1 to 256", in: 1...256,
            default: min(256, UsableProcessors.count),
            shownAs: "one for each core that the server may use")
        let logLevel = Setting(
            "LOG_LEVEL", "Least severe messages to log: \(Logger.Level.words)",
            default: Logger.Level.info, shownAs: Logger.Level.info.rawValue,
            requirement: Logger.Level.words, isShareable: true
        ) { text in
            Logger.Level(rawValue: text.lowercased())
        }
        let logsAreJSON = Setting.choice(
            "LOG_FORMAT", "format of log messages", on: "json", off: "text", default: false)
        let accessLog = Setting.choice(
            "ACCESS_LOG",
            """
            whether each request is logged, at level info: in the combined format of Apache and \
            nginx, or as JSON; without query strings
            """, default: false)
        let slowRequest = Setting.seconds(
            "SLOW_REQUEST_SECONDS", "Requests that take longer are logged as warnings",
            default: WebSettings.defaultSlowRequest)
    }

    struct Site: SettingGroup {
        var title: String { "Site" }
        let name = Setting(
            "SITE_NAME",
            "The site's name, on its pages and wherever it introduces itself: in cards, feeds and mail",
            default: Release.program, shownAs: Release.program,
            requirement: "on one line, with at most \(SiteIdentity.nameLimit) characters"
        ) { Self.line($0, limit: SiteIdentity.nameLimit) }
        let description = Setting(
            "SITE_DESCRIPTION",
            "What the site is for, in one or two sentences: on the home page and its card",
            default: nil as String?, shownAs: SiteIdentity().description.string(in: .en),
            requirement: "on one line, with at most \(SiteIdentity.descriptionLimit) characters"
        ) { text in
            Self.line(text, limit: SiteIdentity.descriptionLimit).map { .some($0) }
        }
        let language = Setting(
            "SITE_LANGUAGE",
            "The language of pages for people who ask for none that the site offers, as a tag",
            default: Language.en, shownAs: Language.en.tag, requirement: "one of " + Self.tags,
            isShareable: true
        ) { Language(tag: $0) }
        let languages = Setting(
            "SITE_LANGUAGES",
            """
            The languages that people can choose from, as tags separated by commas; SITE_LANGUAGE must \
            be one of them
            """, default: nil as [Language]?,
            shownAs: "all that are translated: "
                + Language.usable.map(\.tag).joined(separator: ","),
            requirement: "some of \(Self.tags), each once, with commas between them",
            isShareable: true
        ) { text in
            let tags = text.commaSeparated
            let languages = tags.compactMap { Language(tag: $0) }
            guard !tags.isEmpty, languages.count == tags.count,
                Set(languages).count == languages.count
            else { return nil }
            return .some(languages)
        }
        let contact = Setting(
            "CONTACT",
            "How people reach you: an email address, or the https address of a page",
            default: nil as ExternalAddress?, shownAs: "none",
            requirement: "an email address or an https address"
        ) { text in
            if let address = MailAddress(text) { return .some(.mail(address)) }
            guard text.hasPrefix("https://"), let address = ExternalAddress(text) else {
                return nil
            }
            return .some(address)
        }
        let rulesFile = Setting.text(
            "RULES_FILE",
            """
            File with the site's rules: text with headings after #, lists after - and links. They \
            are shown at /rules, and linked at sign-up and from reports
            """)
        let imprintFile = Setting.text(
            "IMPRINT_FILE", "File that says who runs the site, in the same format; at /imprint")
        let accentColor = Setting(
            "ACCENT_COLOR",
            """
            Colour of links and buttons, dark enough to be read on white. The lighter one of the \
            dark look is derived from it
            """, default: nil as Color?, shownAs: "\(Accent.standard.light)",
            requirement: "a colour like \(Accent.standard.light)", isShareable: true
        ) { text in
            Color(text).map { .some($0) }
        }
        let admitsAICrawlers = Setting.choice(
            "AI_CRAWLERS",
            """
            whether robots.txt lets crawlers read the site that collect what models are trained \
            with. Search engines are welcome in any case
            """, on: "allowed", off: "disallowed", default: false)

        private static let tags =
            Language.allCases.map(\.tag).joined(separator: ", ")

        private static func line(_ text: String, limit: Int) -> String? {
            text == OneLine.clean(text) && OneLine.isVisible(text)
                && text.unicodeScalars.count <= limit ? text : nil
        }
    }

    struct HTTPS: SettingGroup {
        var title: String { "HTTPS" }
        let certificateFiles = Setting.files(
            "TLS_CERTIFICATE_FILE",
            """
            Serve HTTPS with this certificate: a PEM file that also contains the chain to its \
            authority. Separate several files with commas; clients get the certificate for the \
            name they ask for, or else the first. Changed files are used without a restart
            """, shownAs: "none, plain HTTP")
        let keyFiles = Setting.files(
            "TLS_KEY_FILE",
            "PEM file with the certificate's private key; if several, in the same order",
            shownAs: "none")
    }

    struct Monitoring: SettingGroup {
        var title: String { "Monitoring" }
        let listen = Setting(
            "ADMIN_LISTEN",
            """
            Where to serve /metrics, /live and /ready: unix:/path, or an address and a port \
            (127.0.0.1:9180). There is no sign-in, so the network of another address must be private
            """, default: AdminAddress?.none, shownAs: "none",
            requirement: "unix:/path, or an IP address and a port, like 127.0.0.1:9180"
        ) { text in
            AdminAddress(text).map { .some($0) }
        }
    }

    struct Database: SettingGroup {
        private static let standard = PostgresConfiguration(connectionString: "")
        private static let connectionString = """
            a connection string of libpq: postgresql://user:password@host/name, with characters such as \
            % and / in a password written as %25 and %2F
            """

        var title: String { "Database" }
        let url = Setting(
            "DATABASE_URL", "libpq connection string of PostgreSQL: postgresql://user@host/name",
            default: standard.connectionString, shownAs: "libpq's own",
            requirement: Self.connectionString, isSecret: true
        ) { text in PostgresConfiguration(connectionString: text).isReadable ? text : nil }
        let connections = Setting.number(
            "DATABASE_CONNECTIONS",
            """
            Connections for each loop. With three or more, writes and long searches have \
            connections of their own, so that pages don't wait for them
            """, in: 1...100,
            shownAs: "5, or fewer with more than 16 loops: 80 for all loops together")
        let statementTimeout = Setting.seconds(
            "STATEMENT_TIMEOUT_SECONDS", "Longest time for one statement",
            default: standard.statementTimeout)
        let slowStatement = Setting.seconds(
            "SLOW_STATEMENT_SECONDS",
            "Statements that take longer are logged as warnings, by their names",
            default: standard.slowStatement)
    }

    struct Cache: SettingGroup {
        private static let standard = CacheLimits()

        var title: String { "Cache" }
        let megabytes = Setting.number(
            "CACHE_MEGABYTES",
            """
            Memory for responses for people who are not signed in, and for rows that pages for people \
            who are signed in have in common, divided among the loops; 0 caches nothing. PostgreSQL is \
            asked each time whether they are still current
            """, in: 0...65_536, default: 64)
        let staleness = Setting.time(
            "CACHE_STALE_SECONDS",
            """
            How long cached responses are used while PostgreSQL can't be asked whether they are \
            current; with 0, such requests get a 503
            """, in: 0...86_400, of: .seconds(1), default: standard.staleness)
    }

    struct Accounts: SettingGroup {
        private static let standard = AccountPolicy()
        private static let attempts = 1...1_000_000

        var title: String { "Accounts" }
        let signUp = Setting(
            "SIGN_UP",
            """
            open, invite or closed: who may create an account, by any method. With invite, members \
            make invitation links, and so does fave-admin users invite
            """, default: standard.signUp, shownAs: standard.signUp.rawValue,
            requirement: "open, invite or closed", isShareable: true
        ) { AccountPolicy.SignUp(rawValue: $0.lowercased()) }
        let newListDelay = Setting.number(
            "NEW_LIST_DELAY_HOURS",
            """
            Hours that the list of a new account is shown like an unlisted one, unless a \
            moderator shows it earlier; invited people don't wait
            """, in: 0...720, default: standard.newListDelayHours)
        let refusedWords = Setting(
            "REFUSED_WORDS",
            """
            Words, phrases and domains that comments, names and descriptions must not contain, \
            separated by commas or line breaks
            """, default: RefusedWords(), shownAs: "none",
            requirement:
                "at most \(RefusedWords.limit) items of at most \(RefusedWords.itemLimit) bytes",
            isSecret: true
        ) { RefusedWords(parsing: $0) }
        let hasLocalAccounts = Setting.choice(
            "LOCAL_ACCOUNTS", "whether people may sign up and sign in with a password",
            default: standard.hasLocalAccounts)
        let passwordCost = Setting.number(
            "PASSWORD_COST",
            """
            Binary logarithm of scrypt's N; one hash takes 2^PASSWORD_COST KiB of memory. Hashes \
            with another cost are renewed when their owners sign in
            """, in: 4...20, default: 15)
        let signInsPerName = Setting.number(
            "SIGN_IN_ATTEMPTS_PER_NAME",
            """
            Failed sign-ins allowed in 15 minutes with one name from one address; from all \
            addresses together, ten times as many
            """, in: attempts, default: standard.attemptsPerName.count)
        let signInsPerAddress = Setting.number(
            "SIGN_IN_ATTEMPTS_PER_ADDRESS",
            """
            Failed sign-ins allowed in 15 minutes from one address (one /64 network for IPv6; from \
            a /56, four times as many)
            """,
            in: attempts, default: standard.attemptsPerAddress.count)
        let signUpsPerAddress = Setting.number(
            "SIGN_UPS_PER_ADDRESS",
            "New accounts allowed in an hour from one address, counted in the same way",
            in: attempts, default: standard.signUpsPerAddress.count)
        let sessionIdle = Setting.time(
            "SESSION_IDLE_DAYS", "Days until an unused session ends", in: 1...3650,
            of: .seconds(86_400), default: standard.sessionLifetime.idle)
        let session = Setting.time(
            "SESSION_DAYS", "Days until a session ends, even if it is used", in: 1...3650,
            of: .seconds(86_400), default: standard.sessionLifetime.absolute)
        let accessToken = Setting.time(
            "ACCESS_TOKEN_MINUTES", "Lifetime of the API's access tokens, up to 1440 (a day)",
            in: 1...1440, of: .seconds(60), default: standard.accessTokenLifetime)
        let trustedProxies = Setting(
            "TRUSTED_PROXIES",
            """
            Addresses or networks (10.0.0.0/8) of the proxies whose X-Forwarded-For is trusted, \
            separated by commas; "local" trusts all clients of a unix-domain socket
            """, default: TrustedProxies(), shownAs: "none",
            requirement: "addresses or networks, or \"local\", separated by commas"
        ) { text in
            TrustedProxies(text)
        }
    }

    struct Mail: SettingGroup {
        var title: String { "Mail" }
        let url = Setting<String?>.text(
            "SMTP_URL",
            """
            The mail server: smtp://host[:port] for STARTTLS, smtps://host[:port] for TLS from the \
            start, or smtp://host:port?tls=off for a relay on this machine. With it, people can add \
            an address and set a forgotten password by email
            """, shownAs: "none: no mail is sent")
        let from = Setting<String?>.text(
            "SMTP_FROM", "The sender of mail: an address, or a name and an address in < >")
        let user = Setting<String?>.text("SMTP_USER", "The user name at the mail server")
        let password = Setting<String?>.text(
            "SMTP_PASSWORD", "The password at the mail server", isSecret: true)
        let authorities = Setting<String?>.text(
            "SMTP_CA_FILE", "Certificates in PEM to trust in place of the system's",
            shownAs: "the system's")
    }

    struct Games: SettingGroup {
        var title: String { "Games" }
        let adultGames = Setting.choice(
            "ADULT_GAMES",
            """
            whether games for adults only are found and counted; hidden ones are seen only by \
            people whose list they are on
            """, on: "shown", off: "hidden", default: false)
        let servesCovers = Setting.choice(
            "COVERS",
            """
            whether browsers get covers from the site itself, which fetches them from \
            COVER_IMAGES_URL, or from IGDB's image host
            """, on: "proxied", off: "direct", default: false)
        let coversFolder = Setting.text(
            "COVERS_FOLDER",
            "Where covers are stored with COVERS=proxied; several servers may share a folder",
            shownAs: "none, which stores them in memory alone")
        let coversMegabytes = Setting.number(
            "COVERS_MEGABYTES",
            "The size of that folder. The covers that were used least recently are deleted first",
            in: 1...1_048_576, default: 512)
    }

    struct IGDB: SettingGroup {
        var title: String { "Games from IGDB" }
        let clientID = Setting.text(
            "IGDB_CLIENT_ID", "Client id of a Twitch application, to search for games on IGDB",
            shownAs: "none, the catalogue is searched")
        let clientSecret = Setting.text(
            "IGDB_CLIENT_SECRET", "Client secret of that application", isSecret: true)
    }

    struct OpenID: SettingGroup {
        let number: Int
        var title: String {
            "Sign-in with OpenID Connect (more providers: OIDC_2_ISSUER … and OIDC_3_ISSUER …)"
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
                "Issuer of the OpenID Connect provider to sign in with, exactly as in its metadata")
            clientID = .text(prefix + "CLIENT_ID", "Client id of this server at the provider")
            clientSecret = .text(
                prefix + "CLIENT_SECRET", "Client secret of this server at the provider",
                shownAs: "none, a public client", isSecret: true)
            name = .text(
                prefix + "NAME", "Name of the provider on its sign-in button",
                shownAs: "the issuer's host")
            scopes = .text(
                prefix + "SCOPES", "Scopes to request from the provider",
                default: "openid profile email")
            usernameClaim = .text(
                prefix + "USERNAME_CLAIM",
                """
                Claim with the username to suggest to people who sign in for the first time; tried \
                before preferred_username, nickname, the part of email before the @, and name
                """)
        }
    }

    struct API: SettingGroup {
        private static let limits = RateLimits()

        var title: String { "API" }
        let crossOrigins = Setting(
            "CORS_ORIGINS",
            """
            Other sites whose pages may sign people in and up, recover accounts and report through \
            the API (https://a.example), separated by commas; * for all sites, or "none". Pages of all \
            sites may use the rest of the API with a token
            """, default: AllowedOrigins.these([]), shownAs: "none",
            requirement: "origins (https://a.example) separated by commas, * or none"
        ) { text in
            AllowedOrigins(text)
        }
        let cacheSeconds = Setting.number(
            "API_CACHE_SECONDS",
            """
            How long shared caches (a CDN) may serve public reads of the API without asking the \
            server, so that people may see data up to that old; with 0, they always ask
            """, in: 0...86_400, default: WebSettings.defaultCacheLifetime)
        let readsPerMinute = Setting.number(
            "API_READS_PER_MINUTE",
            """
            Units of reads of the API allowed in a minute for each address and for each user, \
            counted by each process; 0 for no limit. Most requests cost one unit
            """,
            in: 0...1_000_000, default: limits.reads)
        let writesPerMinute = Setting.number(
            "API_WRITES_PER_MINUTE", "The same for requests to the API that are not reads",
            in: 0...1_000_000,
            default: limits.writes)
    }

    struct Issuer: SettingGroup {
        var title: String { "Access tokens from another issuer" }
        let issuer = Setting.text(
            "JWT_ISSUER",
            "Accept this issuer's access tokens in the API; needs JWT_AUDIENCE",
            shownAs: "OIDC_ISSUER")
        let audience = Setting.text("JWT_AUDIENCE", "Audience that those tokens must name")
        let keySetURL = Setting.text(
            "JWKS_URL",
            """
            Address of that issuer's key set; file:///path for a file with the key set, or with a public \
            key as JWK or PEM
            """, shownAs: "from the issuer's metadata")
    }

    struct Bounds: SettingGroup {
        private static let standard = ServerConfiguration()

        var title: String { "Limits" }
        let connections = Setting.number(
            "MAX_CONNECTIONS",
            """
            Maximum connections at once; fewer if there are not enough file descriptors (ulimit \
            -n). A client beyond that replaces the connection that has been idle longest; if none \
            is idle, it gets a 503
            """, in: 1...1_000_000, default: standard.maximumConnections)
        let pagesPerMinute = Setting.number(
            "PAGES_PER_MINUTE",
            """
            Units of pages, feeds, embeds and cards allowed in a minute for each address, counted \
            by each process; 0 for no limit. A page costs one unit, a search five, a page from the \
            cache a tenth; files of the site itself cost nothing
            """, in: 0...1_000_000, default: RateLimits().pages)
        let connectionsPerAddress = Setting.number(
            "CONNECTIONS_PER_ADDRESS",
            """
            Maximum connections from one address (one /56 network for IPv6), except from trusted \
            proxies and through unix-domain sockets; further ones get a 429
            """, in: 1...1_000_000, shownAs: "a quarter of all")
        let idleTimeout = Setting.seconds(
            "IDLE_TIMEOUT_SECONDS", "Longest time between the requests of a connection",
            default: standard.idleTimeout)
        let shutdownDelay = Setting.time(
            "SHUTDOWN_DELAY_SECONDS",
            """
            How long the server continues to serve after SIGTERM, while /health responds with \
            503, so that load balancers can notice
            """, in: 0...3600, of: .seconds(1), default: .zero)
        let drainTimeout = Setting.seconds(
            "DRAIN_TIMEOUT_SECONDS",
            "Longest time for running requests to finish when the server stops",
            default: standard.drainTimeout)
    }
}

extension Settings {
    struct Webhooks: SettingGroup {
        var title: String { "Webhooks" }
        let moderationURL = Setting<WebhookAddress?>(
            "MODERATION_WEBHOOK_URL",
            """
            Where moderators are notified of new reports: the address of a chat's incoming webhook, or of a \
            program
            """, default: nil, shownAs: "none", requirement: "an http or https address",
            isSecret: true
        ) { text in
            WebhookAddress(text, anyPort: true).map { .some($0) }
        }
        let moderationSecret = Setting<WebhookSecret?>(
            "MODERATION_WEBHOOK_SECRET",
            """
            The key that signs what is sent there, as Standard Webhooks writes it: whsec_ and 24 to 64 \
            random bytes in base64
            """, default: nil, shownAs: "none",
            requirement: "whsec_ and 24 to 64 bytes in base64", isSecret: true
        ) { text in
            WebhookSecret(text).map { .some($0) }
        }
        let networks = Setting(
            "WEBHOOK_NETWORKS",
            """
            public or any: where the webhooks of circles may lead. With public, only to https on the \
            internet; with any, also to http, and to machines that only the server can reach
            """, default: WebhookNetworks.public, shownAs: WebhookNetworks.public.rawValue,
            requirement: "public or any", isShareable: true
        ) { text in
            WebhookNetworks(rawValue: text.lowercased())
        }
    }
}

extension Settings {
    /// Settings that only tests and benchmarks need. They are read like all others, but no list shows
    /// them.
    struct Unlisted: SettingGroup {
        private static let database = PostgresConfiguration(connectionString: "")

        var title: String { "For tests" }
        let databaseWait = Setting.seconds(
            "DATABASE_WAIT_SECONDS", "Longest wait for a free connection",
            default: database.acquisitionTimeout)
        let sharesReads = Setting.choice(
            "DATABASE_SHARE_READS",
            "whether identical reads that wait for a connection are sent only once",
            default: database.sharesReads)
        let passwordHashers = Setting.number(
            "PASSWORD_HASHERS", "Threads that hash passwords and draw the cards of lists",
            in: 1...64, shownAs: "as many as cores and memory suffice for")
        let igdbURL = Setting.address(
            "IGDB_URL", "Address of IGDB's API", default: IGDBConfiguration.standardAPIURL)
        let igdbTokenURL = Setting.address(
            "TWITCH_TOKEN_URL", "Address that issues the tokens for IGDB",
            default: IGDBConfiguration.standardTokenURL)
        let igdbWait = Setting.seconds(
            "IGDB_WAIT_SECONDS", "Longest wait for IGDB before the catalogue is searched",
            default: GameDirectory.Terms().patience)
    }
}

extension Logger.Level {
    fileprivate static var words: String {
        let words = allCases.map(\.rawValue)
        return words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    }
}

extension Setting where Value == [String] {
    /// Paths separated by commas.
    fileprivate static func files(
        _ name: String, _ help: String, shownAs standardText: String
    ) -> Setting {
        Setting(
            name, help, default: [], shownAs: standardText,
            requirement: "file names separated by commas, none of them empty"
        ) { text in
            let paths = text.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return paths.contains("") ? nil : paths
        }
    }
}

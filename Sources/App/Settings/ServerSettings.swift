import Endpoints
import FaveGames
import Foundation
import GameSearch
import HTTP
import HTTPServer
import IGDB
import Identity
import Logging
import Outbox
import Postgres
import Web

/// All settings of `fave-server`, read and checked.
package struct ServerSettings {
    let host: String
    let port: Int
    let loops: Int
    /// Empty for plain HTTP.
    let certificates: [CertificateFiles]
    let adminAddress: AdminAddress?
    let database: PostgresConfiguration
    let http: ServerConfiguration
    /// `nil` for the default, a share of all connections.
    let connectionsPerAddress: Int?
    /// The time between the signal to stop and the end of listening.
    let shutdownDelay: Duration
    let cachesResponses: Bool
    /// Where cards get covers from; `nil` to draw them without.
    let coverImagesURL: String?
    let web: WebSettings
    let accounts: AccountPolicy
    let passwordCost: Int
    let passwordHashers: Int
    let providers: [OpenIDConfiguration]
    let trustedIssuers: [TrustedIssuerConfiguration]
    /// `nil` if no mail is sent.
    let mail: MailSettings?
    let webhooks: WebhookSettings
    let igdb: IGDBConfiguration?
    let gameSearch: GameDirectory.Terms
    let showsAdultGames: Bool
    /// Where covers are stored that the site serves itself; `nil` for memory alone.
    let coversFolder: String?
    let coversBytes: Int

    /// - Throws: Everything that is wrong, at once.
    package init(_ reader: SettingsReader) throws(SettingError) {
        let problems = Self.problems(reader)
        guard problems.isEmpty else { throw SettingError(problems) }
        host = try reader.value(Settings.service.host)
        port = try reader.value(Settings.service.port)
        loops = try reader.value(Settings.service.loops)
        database = try Self.database(reader, loops: loops)
        http = try Self.http(reader)
        connectionsPerAddress = try reader.value(Settings.bounds.connectionsPerAddress)
        shutdownDelay = try reader.value(Settings.bounds.shutdownDelay)
        certificates = try Self.certificates(reader)
        let cacheMegabytes = try reader.value(Settings.cache.megabytes)
        cachesResponses = cacheMegabytes > 0
        showsAdultGames = try reader.value(Settings.games.adultGames)
        coversFolder = try reader.value(Settings.games.coversFolder)
        coversBytes = try reader.value(Settings.games.coversMegabytes) << 20
        let covers = try reader.value(Settings.service.coverImagesURL)
        coverImagesURL = covers == "off" ? nil : covers
        var web = try Self.web(reader)
        web.cache.bytesPerLoop = cacheMegabytes * 1_048_576 / loops
        web.cache.staleness = try reader.value(Settings.cache.staleness)
        web.covers = try Self.covers(reader)
        web.site = try Self.site(reader)
        web.languages = try Self.languages(reader)
        web.admitsAICrawlers = try reader.value(Settings.site.admitsAICrawlers)
        self.web = web
        adminAddress = try reader.value(Settings.monitoring.listen)
        mail = try MailSettings(reader)
        webhooks = try WebhookSettings(reader)
        var accounts = try Self.accounts(reader)
        accounts.hasMail = mail != nil
        self.accounts = accounts
        passwordCost = try reader.value(Settings.accounts.passwordCost)
        passwordHashers =
            try reader.value(Settings.unlisted.passwordHashers)
            ?? Self.passwordHashers(
                cost: passwordCost, processors: UsableProcessors.count,
                memory: ControlGroups.own.memory)
        providers = try Self.providers(reader)
        trustedIssuers = try Self.trustedIssuers(reader, providers)
        igdb = try Self.igdb(reader)
        gameSearch = try Self.gameSearch(reader)
    }

    /// Everything that is wrong: first the values that are wrong by themselves, then those that don't
    /// fit together. A part that needs a wrong value repeats what is wrong with it, and says no more.
    private static func problems(_ reader: SettingsReader) -> [String] {
        let values: [() throws -> Void] = Settings.all.map { setting in
            { try setting.check(reader) }
        }
        let parts: [() throws -> Void] = [
            { _ = try certificates(reader) }, { _ = try web(reader) },
            { _ = try MailSettings(reader) }, { _ = try WebhookSettings(reader) },
            { _ = try providers(reader) }, { _ = try trustedIssuers(reader, providers(reader)) },
            { try checkSignIn(reader) }, { _ = try igdb(reader) }, { _ = try covers(reader) },
            { _ = try languages(reader) }, { _ = try accent(reader) },
            { _ = try text(Settings.site.rulesFile, reader) },
            { _ = try text(Settings.site.imprintFile, reader) },
        ]
        // One after the other, so that what is wrong with one doesn't hide what is wrong with the next.
        let eachProvider: [() throws -> Void] = Settings.openIDProviders.map { settings in
            { _ = try provider(settings, reader) }
        }
        var problems: [String] = []
        for part in values + eachProvider + parts {
            do {
                try part()
            } catch {
                let found = (error as? SettingError)?.problems ?? ["\(error)"]
                problems += found.filter { !problems.contains($0) }
            }
        }
        return problems
    }

    /// The settings for a server that only says that its settings can't be used: where it listens and what
    /// it is called are as they should be, if possible.
    static func usable(of environment: [String: String]) -> ServerSettings? {
        let wrong = Set(
            Settings.all.filter { setting in
                (try? setting.check(SettingsReader(environment: environment))) == nil
            }.flatMap { [$0.name, $0.name + "_FILE"] })
        let right = environment.filter { !wrong.contains($0.key) }
        let needed: Set = [
            Settings.service.publicURL.name, Settings.site.name.name,
            Settings.monitoring.listen.name, Settings.https.certificateFiles.name,
            Settings.https.keyFiles.name,
        ]
        for candidate in [right, right.filter { needed.contains($0.key) }, [:]] {
            if let settings = try? ServerSettings(SettingsReader(environment: candidate)) {
                return settings
            }
        }
        return nil
    }

    /// Sentences for the operator about values that are allowed, but should not go unnoticed.
    var warnings: [String] {
        var warnings = [adminAddress?.warning, proxyWarning].compactMap { $0 }
        let standard = Settings.accounts.passwordCost.standard
        if passwordCost < standard {
            warnings.append(
                """
                PASSWORD_COST is \(passwordCost): whoever gets hold of the database can try passwords \
                \(1 << (standard - passwordCost)) times as fast as with the default, \(standard)
                """)
        }
        return warnings
    }

    /// There is a proxy that isn't trusted: someone else serves https, or a unix-domain socket is there for
    /// no one else.
    private var proxyWarning: String? {
        let consequence = """
            all visitors count as one address, and share the limits of one: set TRUSTED_PROXIES
            """
        if host.hasPrefix("unix:") {
            return web.trustedProxies.includesLocal
                ? nil
                : """
                clients of a unix-domain socket have no address, so unless X-Forwarded-For is trusted, \
                \(consequence)=local
                """
        }
        guard web.publicURL.hasPrefix("https:"), certificates.isEmpty,
            web.trustedProxies == TrustedProxies()
        else { return nil }
        return """
            PUBLIC_URL is https, and TLS_CERTIFICATE_FILE is not set, so there is a proxy in front. As long \
            as its X-Forwarded-For isn't trusted, \(consequence) to its address, such as 127.0.0.1
            """
    }

    /// The most connections that all loops open by default: PostgreSQL's own default, 100, leaves some
    /// for `fave-admin` and others then.
    private static let connectionsByDefault = 80

    private static func database(
        _ reader: SettingsReader, loops: Int
    ) throws(SettingError) -> PostgresConfiguration {
        let settings = Settings.database
        var database = PostgresConfiguration(connectionString: try reader.value(settings.url))
        database.connections =
            try reader.value(settings.connections)
            ?? max(1, min(database.connections, connectionsByDefault / loops))
        database.sharesReads = try reader.value(Settings.unlisted.sharesReads)
        database.acquisitionTimeout = try reader.value(Settings.unlisted.databaseWait)
        database.statementTimeout = try reader.value(settings.statementTimeout)
        database.slowStatement = try reader.value(settings.slowStatement)
        return database
    }

    /// How many passwords may be hashed at once by default.
    ///
    /// - Parameter memory: The limit of the process's memory in bytes, if there is one.
    static func passwordHashers(cost: Int, processors: Int, memory: Int?) -> Int {
        // scrypt takes 2^cost KiB.
        let fitting = memory.map { ($0 / 4) >> (cost + 10) } ?? .max
        return max(1, min(64, processors / 2, fitting))
    }

    private static func http(_ reader: SettingsReader) throws(SettingError) -> ServerConfiguration {
        let settings = Settings.bounds
        var http = ServerConfiguration()
        http.maximumConnections = try reader.value(settings.connections)
        // More than the largest form without a file.
        http.limits.bodyBytes = Site.bodyLimit
        http.idleTimeout = try reader.value(settings.idleTimeout)
        http.drainTimeout = try reader.value(settings.drainTimeout)
        return http
    }

    static func web(
        _ reader: SettingsReader
    ) throws(SettingError) -> WebSettings {
        let host = try reader.value(Settings.service.host)
        let port = try reader.value(Settings.service.port)
        let isSecure = try !certificates(reader).isEmpty
        let shownHost =
            switch host {
            case "0.0.0.0", "::": "localhost"
            case _ where host.hasPrefix("unix:"): "localhost"
            case _ where host.contains(":"): "[\(host)]"
            default: host
            }
        let address =
            try reader.value(Settings.service.publicURL)
            ?? "\(isSecure ? "https" : "http")://\(shownHost):\(port)"
        let publicURL = try Self.publicURL(address)
        guard !isSecure || publicURL.isSecure else {
            throw SettingError(
                Settings.service.publicURL, address,
                mustBe: "https, because TLS_CERTIFICATE_FILE is set")
        }
        var web = WebSettings(
            publicURL: publicURL.description,
            featuredPlatforms: try reader.value(Settings.service.featuredPlatforms),
            trustedProxies: try reader.value(Settings.accounts.trustedProxies),
            strictTransportLifetime: try reader.value(Settings.service.strictTransportLifetime))
        web.crossOrigins = try reader.value(Settings.api.crossOrigins)
        web.cacheLifetime = try reader.value(Settings.api.cacheSeconds)
        if try reader.value(Settings.service.accessLog) {
            web.accessLog =
                try reader.value(Settings.service.logsAreJSON) ? .metadata : .combined
        }
        web.webhookNetworks = try reader.value(Settings.webhooks.networks)
        web.sourceURL = try reader.value(Settings.service.sourceURL)
        web.slowRequest = try reader.value(Settings.service.slowRequest)
        web.rateLimits.reads = try reader.value(Settings.api.readsPerMinute)
        web.rateLimits.writes = try reader.value(Settings.api.writesPerMinute)
        web.rateLimits.pages = try reader.value(Settings.bounds.pagesPerMinute)
        return web
    }

    /// Reads the site's public address. What people see, what browsers send and what is compared with it
    /// is then the same text.
    static func publicURL(_ text: String) throws(SettingError) -> WebOrigin {
        var address = text
        while address.hasSuffix("/") { address.removeLast() }
        if let origin = WebOrigin(address) { return origin }
        let root = address.split(separator: "/", omittingEmptySubsequences: false).prefix(3)
        let hasPath = WebOrigin(root.joined(separator: "/")) != nil && !address.contains("?")
        throw SettingError(
            Settings.service.publicURL, text,
            mustBe: hasPath
                ? """
                without a path, because links begin at the root of the host. Give the site a host of \
                its own, like https://fave.example
                """ : "an address like https://fave.example")
    }
}

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

/// Everything that `fave-server` can be told.
package struct ServerSettings {
    let host: String
    let port: Int
    let loops: Int
    /// None to speak HTTP in the clear.
    let certificates: [CertificateFiles]
    let redirectPort: Int?
    let database: PostgresConfiguration
    let http: ServerConfiguration
    /// `nil` for a share of all.
    let connectionsPerAddress: Int?
    /// From the signal to stop until listening stops.
    let shutdownDelay: Duration
    let web: WebSettings
    let accounts: AccountPolicy
    let passwordCost: Int
    let passwordHashers: Int
    let providers: [OpenIDConfiguration]
    let trustedIssuers: [TrustedIssuerConfiguration]
    let igdb: IGDBConfiguration?
    let gameSearch: GameDirectory.Terms

    package init(_ reader: SettingsReader) throws(SettingError) {
        host = try reader.text(.host) ?? "127.0.0.1"
        port = try reader.number(.port, in: 0...65_535, default: 8080)
        loops = try reader.number(
            .loops, in: 1...256, default: ProcessInfo.processInfo.activeProcessorCount)
        database = try Self.database(reader)
        http = try Self.http(reader)
        connectionsPerAddress =
            try reader.text(.connectionsPerAddress) == nil
            ? nil : try reader.number(.connectionsPerAddress, in: 1...1_000_000, default: 1)
        shutdownDelay = .seconds(try reader.number(.shutdownDelay, in: 0...3600, default: 0))
        certificates = try Self.certificates(reader)
        web = try Self.web(reader, host: host, port: port, isSecure: !certificates.isEmpty)
        redirectPort = try Self.redirectPort(reader, host: host, publicURL: web.publicURL)
        accounts = try Self.accounts(reader)
        passwordCost = try Self.passwordCost(reader)
        passwordHashers = try reader.number(
            .passwordHashers, in: 1...64,
            default: max(1, ProcessInfo.processInfo.activeProcessorCount / 2))
        providers = try Self.providers(reader)
        trustedIssuers = try Self.trustedIssuers(reader, providers)
        guard accounts.hasLocalAccounts || !providers.isEmpty || !trustedIssuers.isEmpty else {
            throw SettingError(
                "LOCAL_ACCOUNTS is off and there is no OIDC_ISSUER: nobody could sign in.")
        }
        igdb = try Self.igdb(reader)
        gameSearch = try Self.gameSearch(reader)
    }

    private static func database(
        _ reader: SettingsReader
    ) throws(SettingError) -> PostgresConfiguration {
        var database = PostgresConfiguration(
            connectionString: try reader.text(.databaseURL) ?? "")
        database.connections = try reader.number(
            .databaseConnections, in: 1...100, default: database.connections)
        database.queueLimit = try reader.number(
            .databaseQueue, in: 1...1_000_000, default: database.queueLimit)
        database.sharesReads = try reader.choice(
            .databaseSharesReads,
            { ["on": true, "off": false][$0.lowercased()] }, default: database.sharesReads)
        database.acquisitionTimeout = try reader.seconds(
            .databaseWait, default: database.acquisitionTimeout)
        database.statementTimeout = try reader.seconds(
            .statementTimeout, default: database.statementTimeout)
        return database
    }

    private static func http(_ reader: SettingsReader) throws(SettingError) -> ServerConfiguration {
        var http = ServerConfiguration()
        http.maximumConnections = try reader.number(
            .maximumConnections, in: 1...1_000_000, default: http.maximumConnections)
        http.maximumUnsentBytes =
            1_048_576
            * (try reader.number(
                .unsentMegabytes, in: 1...65_536, default: http.maximumUnsentBytes / 1_048_576))
        http.requestsPerConnection = try reader.number(
            .requestsPerConnection, in: 1...Int.max, default: http.requestsPerConnection)
        let limits = ParserLimits()
        http.limits = ParserLimits(
            requestLineBytes: try reader.number(
                .requestLineBytes, in: 64...1_048_576, default: limits.requestLineBytes),
            headerBytes: try reader.number(
                .headerBytes, in: 256...1_048_576, default: limits.headerBytes),
            headerCount: try reader.number(
                .headerCount, in: 4...10_000, default: limits.headerCount),
            bodyBytes: try reader.number(.bodyBytes, in: 1024...67_108_864, default: 65_536))
        http.headerTimeout = try reader.seconds(.headerTimeout, default: http.headerTimeout)
        http.bodyTimeout = try reader.seconds(.bodyTimeout, default: http.bodyTimeout)
        http.idleTimeout = try reader.seconds(.idleTimeout, default: http.idleTimeout)
        http.drainTimeout = try reader.seconds(.drainTimeout, default: http.drainTimeout)
        return http
    }

    private static func web(
        _ reader: SettingsReader, host: String, port: Int, isSecure: Bool
    ) throws(SettingError) -> WebSettings {
        let shownHost =
            switch host {
            case "0.0.0.0", "::": "localhost"
            case _ where host.hasPrefix("unix:"): "localhost"
            case _ where host.contains(":"): "[\(host)]"
            default: host
            }
        let scheme = isSecure ? "https" : "http"
        var publicURL = try reader.text(.publicURL) ?? "\(scheme)://\(shownHost):\(port)"
        while publicURL.hasSuffix("/") { publicURL.removeLast() }
        guard publicURL.wholeMatch(of: /https?:\/\/[^\s\/?#@"<>]+(\/[^\s?#"<>]*)?/) != nil else {
            throw SettingError(
                "PUBLIC_URL is \"\(publicURL)\"; it must be an address like https://fave.example.")
        }
        guard !isSecure || publicURL.hasPrefix("https:") else {
            throw SettingError(
                "PUBLIC_URL is \"\(publicURL)\"; with TLS_CERTIFICATE_FILE it must be https.")
        }
        let platforms = try reader.choice(
            .featuredPlatforms,
            { text -> [Int]? in
                let parts = text.split(separator: ",").map {
                    GameID.parse($0.trimmingCharacters(in: .whitespaces))
                }
                return parts.contains(nil) ? nil : parts.compactMap { $0 }
            }, default: WebSettings.defaultFeaturedPlatforms)
        var web = WebSettings(
            publicURL: publicURL, featuredPlatforms: platforms,
            trustedProxies: try reader.choice(
                .trustedProxies, { TrustedProxies($0) }, default: TrustedProxies()),
            strictTransportLifetime: try reader.number(
                .strictTransportLifetime, in: 0...63_072_000,
                default: WebSettings.defaultStrictTransportLifetime))
        web.crossOrigins = try reader.choice(
            .crossOrigins, { AllowedOrigins($0) }, default: web.crossOrigins)
        web.cacheLifetime = try reader.number(
            .cacheSeconds, in: 0...86_400, default: web.cacheLifetime)
        web.rateLimits.reads = try reader.number(
            .readsPerMinute, in: 0...1_000_000, default: web.rateLimits.reads)
        web.rateLimits.writes = try reader.number(
            .writesPerMinute, in: 0...1_000_000, default: web.rateLimits.writes)
        return web
    }
}

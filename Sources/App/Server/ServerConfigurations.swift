import Endpoints
import HTTP
import HTTPClient
import HTTPServer
import Logging
import Postgres
import Sockets
import Web

/// What each of the server's ports allows its clients.
struct ServerConfigurations {
    let site: ServerConfiguration
    let monitors: ServerConfiguration

    private static let monitorConnections = 16

    /// Limits the connections of clients to the descriptors that are left after everything else.
    ///
    /// - Throws: `OperatorError` if too few are left.
    init(
        _ settings: ServerSettings, _ listeners: Listeners, tls: TLSServer?, _ logger: Logger
    ) throws {
        let limit = try DescriptorLimit.raise()
        let reserve = Self.reserve(settings, listeners)
        let possible = HTTPServer.maximumConnections(
            descriptors: limit - reserve, loops: settings.loops)
        guard possible >= 16 else {
            throw OperatorError(
                """
                The process may open \(limit) file descriptors, and needs \(reserve) of them for \
                things other than clients. Raise the limit (ulimit -n, or LimitNOFILE= in \
                systemd), or lower LOOPS or DATABASE_CONNECTIONS.
                """)
        }
        let plain = settings.http
        var site = plain
        site.tls = tls
        site.limits.largerBodies = Site.bodyLimits
        site.maximumConnections = min(plain.maximumConnections, possible)
        site.connectionsPerAddress = min(
            settings.connectionsPerAddress ?? max(16, site.maximumConnections / 4),
            site.maximumConnections)
        site.owner = { [proxies = settings.web.trustedProxies] client in
            guard !proxies.contains(client), let network = client.network else { return nil }
            return network.site ?? network
        }
        logger.log(
            level: site.maximumConnections < plain.maximumConnections ? .warning : .info,
            """
            up to \(site.maximumConnections) connections, \(site.connectionsPerAddress) from one \
            address; \(reserve) of \(limit) file descriptors are reserved for other things
            """)
        self.site = site
        monitors = Self.monitors(site)
    }

    /// The descriptors of everything but the site's clients.
    private static func reserve(_ settings: ServerSettings, _ listeners: Listeners) -> Int {
        let monitors = listeners.monitors ?? []
        let sockets = listeners.site.count + monitors.count
        // Each loop has an epoll and an event descriptor, its connections to PostgreSQL, a
        // duplicate of each listening socket, and connections to IGDB and identity providers. All
        // loops share 32 more for files, the log and name look-ups.
        let perLoop =
            2 + settings.database.connections + sockets + HTTPClient.connectionLimit
        let reserve = sockets + settings.loops * perLoop + 32
        guard !monitors.isEmpty else { return reserve }
        return reserve
            + HTTPServer.descriptors(
                maximumConnections: monitorConnections, loops: settings.loops)
    }

    private static func monitors(_ site: ServerConfiguration) -> ServerConfiguration {
        var http = site
        http.tls = nil
        http.maximumConnections = monitorConnections
        http.connectionsPerAddress = monitorConnections
        return http
    }
}

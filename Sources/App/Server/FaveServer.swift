public import ArgumentParser
import CoreMetrics
import FaveGames
import Foundation
import Logging
import Migrations
import Monitoring
import Postgres
import ServiceLifecycle
import Sockets

/// The command `fave-server`.
public struct FaveServer: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "fave-server",
        abstract: "Serve the pages and the JSON API of Fave Games from a PostgreSQL database.",
        discussion: StopSignals.help + "\n\n" + Settings.listing, version: Release.version)

    @Flag(
        help: """
            Check the settings, certificates, database, schema, IGDB, mail server and sign-in \
            providers, report what is wrong, and exit with status 1 if anything is.
            """)
    var check = false

    public init() {}

    public static func main() async { await runProgram() }

    public func run() async throws {
        StopSignals.ignoreOthers()
        let reader = SettingsReader()
        guard !check else {
            return try await Checkup(reader: reader, isRunning: false).findings()
                .report(asJSON: false)
        }
        let manager = ServiceManager()
        let (settings, refusal) = try Self.settings(reader, manager)
        try (refusal == nil ? reader : SettingsReader(environment: [:])).bootstrapLogging()
        let logger = Logger(label: "fave-server")
        let migrations = try Migration.embedded()
        logger.notice("\(Release.description(schema: migrations.count))")
        for warning in settings.warnings + Settings.warnings(about: reader.variableNames)
            + Self.warnings(reader, manager)
        {
            logger.warning("\(warning)")
        }
        let metrics = MetricRegistry(ServerMetrics.recorded)
        MetricsSystem.bootstrap(metrics)
        let service: ServerService
        do {
            service = try await ServerService(
                settings, migrations: migrations, manager: manager, refusal: refusal,
                metrics: metrics, logger: logger)
        } catch let error as PostgresError {
            throw OperatorError(error)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service)],
                gracefulShutdownSignals: StopSignals.all, logger: logger))
        try await group.run()
    }

    /// Sentences about settings that have no effect, because the service manager holds the sockets.
    private static func warnings(_ reader: SettingsReader, _ manager: ServiceManager) -> [String] {
        guard manager.hasSockets else { return [] }
        let settings: [any AnySetting] = [Settings.service.host, Settings.service.port]
        let names = settings.map(\.name).filter(reader.variableNames.contains)
        guard !names.isEmpty else { return [] }
        return [
            """
            \(names.joined(separator: " and ")) \(names.count == 1 ? "has" : "have") no effect: the \
            service manager's socket says where the server listens. To change that: systemctl edit \
            fave-games.socket. What people call the site is PUBLIC_URL
            """
        ]
    }

    /// The settings, or why they can't be used and those to say so with. Clients of a socket that a
    /// service manager holds would otherwise wait for a server that never starts.
    private static func settings(
        _ reader: SettingsReader, _ manager: ServiceManager
    ) throws -> (ServerSettings, refusal: String?) {
        do throws(SettingError) {
            return (try ServerSettings(reader), nil)
        } catch {
            guard manager.hasSockets,
                let settings = ServerSettings.usable(of: ProcessInfo.processInfo.environment)
            else { throw error }
            return (settings, error.description)
        }
    }
}

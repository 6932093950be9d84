import ArgumentParser
import Foundation
import Glibc
import Logging
import Postgres
import ServiceLifecycle
import Sockets

/// The command `fave-server`.
public struct FaveServer: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "fave-server",
        abstract: "Serve the pages and the JSON API of Fave Games from a PostgreSQL database.",
        discussion: Settings.listing)

    public init() {}

    public func run() async throws {
        // Writing to a connection that the peer has closed must fail with an error, and not end the
        // process.
        signal(SIGPIPE, SIG_IGN)
        let reader = SettingsReader()
        try reader.bootstrapLogging()
        let logger = Logger(label: "fave-server")
        for warning in Settings.warnings(about: reader.variableNames) {
            logger.warning("\(warning)")
        }
        let service: ServerService
        do {
            service = try await ServerService(ServerSettings(reader), logger: logger)
        } catch let error as PostgresError {
            throw OperatorError(error)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}

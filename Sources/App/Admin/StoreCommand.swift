import Logging
import Postgres
import Sockets
import Storage

/// A subcommand that calls what the server calls, on a loop of its own.
protocol StoreCommand: AdminCommand, Sendable where Report: Sendable {
    /// - Parameter store: Belongs to the command's loop, which runs this. The schema is current.
    func perform(_ store: Store) async throws -> Report
}

extension StoreCommand {
    func perform(_ session: BlockingSession) async throws -> Report {
        try await CommandLoop.run { try await perform($0.store) }
    }
}

/// A command's own loop, with one connection to the database.
struct CommandLoop: Sendable {
    let loop: EventLoop
    let store: Store

    /// Runs `body` on the loop, then closes the connection and stops the loop.
    static func run<Result: Sendable>(
        _ reader: SettingsReader = SettingsReader(),
        _ body: @escaping @Sendable (CommandLoop) async throws -> Result
    ) async throws -> Result {
        var database = PostgresConfiguration(
            connectionString: try reader.value(Settings.database.url))
        database.connections = 1
        // No page waits for these statements, so they may take longer.
        database.statementTimeout = .seconds(60)
        let loop = try EventLoop(name: "fave-admin")
        defer { loop.stop() }
        let pool = try PostgresPool(
            database, on: loop,
            logger: Logger(label: "fave-admin") { _ in SwiftLogNoOpLogHandler() },
            applicationName: "fave-admin")
        return try await Task(executorPreference: loop) {
            pool.open()
            defer { pool.close() }
            return try await body(CommandLoop(loop: loop, store: Store(pool)))
        }.value
    }
}

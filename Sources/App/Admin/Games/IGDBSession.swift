import HTTPClient
import GameSearch
import IGDB
import Logging
import Postgres
import Sockets
import Storage

/// A client of IGDB for a command. It has a loop of its own, and uses the token that the servers
/// share.
struct IGDBSession: Sendable {
    let client: IGDBClient
    let store: Store
    private let loop: EventLoop

    /// Runs `body` on the loop, then closes all connections and stops the loop.
    ///
    /// - Throws: `OperatorError` if there are no credentials or IGDB fails, and what `body` throws.
    static func run<Result: Sendable>(
        _ reader: SettingsReader,
        _ body: @escaping @Sendable (IGDBSession) async throws -> Result
    ) async throws -> Result {
        guard let configuration = try ServerSettings.igdb(reader) else {
            throw OperatorError(
                """
                There are no credentials for IGDB. Register an application at \
                https://dev.twitch.tv/console, and set IGDB_CLIENT_ID and IGDB_CLIENT_SECRET.
                """)
        }
        let logger = Logger(label: "fave-admin") { _ in SwiftLogNoOpLogHandler() }
        let loop = try EventLoop(name: "igdb")
        defer { loop.stop() }
        let http = HTTPClient(on: loop)
        var database = PostgresConfiguration(
            connectionString: try reader.value(Settings.database.url))
        database.connections = 1
        // No page waits for these statements, so those that store many games may take longer.
        database.statementTimeout = .seconds(60)
        let pool = try PostgresPool(database, on: loop, logger: logger)
        let store = Store(pool)
        let client = IGDBClient(
            configuration, tokens: StoredTokens(store, clientID: configuration.clientID),
            client: http, loop: loop, logger: logger, rate: 2)
        let session = IGDBSession(client: client, store: store, loop: loop)
        return try await Task(executorPreference: loop) {
            pool.open()
            defer { pool.close() }
            do {
                let result = try await body(session)
                await http.close()
                return result
            } catch {
                await http.close()
                guard let error = error as? IGDBError else { throw error }
                throw OperatorError("\(error.description) (\(error.debugDescription))")
            }
        }.value
    }
}

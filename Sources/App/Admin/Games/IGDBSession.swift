import HTTPClient
import GameSearch
import IGDB
import Logging
import Storage
import StorageWrites

/// A client of IGDB for a command, on the command's loop. It uses the token that the servers share.
struct IGDBSession: Sendable {
    let client: IGDBClient
    let store: Store

    /// Runs `body` on a loop, then closes all connections.
    ///
    /// - Throws: `OperatorError` if there are no credentials or IGDB fails, and what `body` throws.
    static func run<Result: Sendable>(
        _ reader: SettingsReader,
        _ body: @escaping @Sendable (IGDBSession) async throws -> Result
    ) async throws -> Result {
        let configuration = try configuration(reader)
        return try await CommandLoop.run(reader) { command in
            let http = HTTPClient(on: command.loop)
            let client = IGDBClient(
                configuration,
                tokens: StoredTokens(command.store, clientID: configuration.clientID),
                client: http, loop: command.loop,
                logger: Logger(label: "fave-admin") { _ in SwiftLogNoOpLogHandler() }, rate: 2)
            do {
                let result = try await body(IGDBSession(client: client, store: command.store))
                await http.close()
                return result
            } catch {
                await http.close()
                guard let error = error as? IGDBError else { throw error }
                throw OperatorError("\(error.description) (\(error.debugDescription))")
            }
        }
    }

    private static func configuration(_ reader: SettingsReader) throws -> IGDBConfiguration {
        guard let configuration = try ServerSettings.igdb(reader) else {
            throw OperatorError(
                """
                There are no credentials for IGDB. Register an application at \
                https://dev.twitch.tv/console, and set IGDB_CLIENT_ID and IGDB_CLIENT_SECRET.
                """)
        }
        return configuration
    }
}

import ArgumentParser
import GameSearch
import IGDB
import Postgres
import Storage
import StorageWrites

struct RefreshGamesCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: """
            Update the names, covers, platforms and marks for adults of the stored games from IGDB.
            """,
        discussion: """
            If it is interrupted, run it again to continue: it skips games that IGDB was asked for \
            recently. Sends requests at half the rate that IGDB allows, which leaves the other \
            half to the servers. Needs IGDB_CLIENT_ID and IGDB_CLIENT_SECRET.
            """)

    @Option(help: "Only games that IGDB was last asked for more than this many days ago, or never.")
    var olderThan = 30

    @Flag(help: "Only games that are on someone's list.")
    var onlyListed = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...3650).contains(olderThan) else {
            throw ValidationError("--older-than must be from 0 to 3650.")
        }
    }

    struct Report: Encodable, CustomStringConvertible {
        let asked: Int
        let refreshed: Int

        var description: String {
            guard asked > 0 else { return "Nothing to do: all games are up to date." }
            let unknown = asked - refreshed
            return "\(refreshed) games refreshed."
                + (unknown > 0 ? " Unchanged, because IGDB does not know them: \(unknown)." : "")
        }
    }

    func perform(_ session: BlockingSession) async throws -> Report {
        let (olderThan, onlyListed) = (olderThan, onlyListed)
        let ids = try await CommandLoop.run {
            try await $0.store.staleGames(olderThanDays: olderThan, onlyListed: onlyListed)
        }
        guard !ids.isEmpty else { return Report(asked: 0, refreshed: 0) }
        let isShown = !output.json
        return try await IGDBSession.run(SettingsReader()) { igdb in
            var progress = ProgressBar("Refreshing", total: ids.count, isShown: isShown)
            defer { progress.finish() }
            var refreshed = 0
            for start in stride(from: 0, to: ids.count, by: 500) {
                let part = Array(ids[start..<min(start + 500, ids.count)])
                let games = try await Self.ask(igdb, part)
                try await igdb.store.keep(games.map(FetchedGame.init))
                try await igdb.store.noteFetched(
                    Array(Set(part).subtracting(games.map(\.id))))
                refreshed += games.count
                progress.advance(by: part.count)
            }
            return Report(asked: ids.count, refreshed: refreshed)
        }
    }

    /// Asks for games, and tries again after a passing error: a brief failure of IGDB must not end
    /// an hour's work.
    private static func ask(_ igdb: IGDBSession, _ ids: [Int]) async throws -> [IGDBGame] {
        var pauses = [5, 20].makeIterator()
        while true {
            switch await result(igdb, ids) {
            case .success(let games): return games
            case .failure(let error):
                guard error.isPassing, let pause = pauses.next() else { throw error }
                try await Task.sleep(for: .seconds(pause))
            }
        }
    }

    private static func result(
        _ igdb: IGDBSession, _ ids: [Int]
    ) async -> Result<[IGDBGame], IGDBError> {
        do throws(IGDBError) {
            return .success(try await igdb.client.games(ids: ids, for: .site))
        } catch {
            return .failure(error)
        }
    }
}

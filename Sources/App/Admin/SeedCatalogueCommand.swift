import ArgumentParser
import Postgres
import Storage
import StorageWrites

struct SeedCatalogueCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed-catalogue",
        abstract: "Add fifteen thousand games with their covers, for making lists without IGDB.",
        discussion: """
            Needs the platforms (seed-platforms). A newer release may have more games: run it \
            again after an upgrade. Games that were updated from IGDB stay as they are, but may \
            get more platforms. Running it twice changes nothing.
            """)

    @Flag(help: "Do nothing if there are games already.")
    var ifEmpty = false

    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> SeedReport {
        let stored = ifEmpty ? try BulkStore(session).gameCount() : 0
        guard stored == 0 else { return SeedReport(unchanged: stored, what: "games") }
        do {
            return SeedReport(try BulkStore(session).seed(StarterData.games()), what: "games")
        } catch let error as PostgresError
            where error.constraint == "game_platforms_platform_id_fkey"
        {
            throw OperatorError("The platforms are missing. First run: fave-admin seed-platforms")
        }
    }
}

import ArgumentParser
import Postgres
import Storage

struct SeedCatalogueCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed-catalogue",
        abstract: "Adds some hundred well-known games, so that lists can be made without IGDB.",
        discussion: """
            Needs the platforms (seed-platforms). Games that are there keep what is known of them. \
            Running it again changes nothing.
            """)

    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> SeedReport {
        let games = try StarterData.games()
        do {
            return SeedReport(try BulkStore(session).seed(games), what: "games")
        } catch let error as PostgresError
            where error.constraint == "game_platforms_platform_id_fkey"
        {
            throw OperatorError("The platforms are missing. Run first: fave-admin seed-platforms")
        }
    }
}

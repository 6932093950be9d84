import ArgumentParser
import Postgres
import Storage

struct SeedPlatformsCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed-platforms",
        abstract: "Adds the platforms that this version knows, and updates those that changed.",
        discussion: "Never deletes one. Running it again changes nothing.")

    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> SeedReport {
        let platforms = try StarterData.platforms()
        return SeedReport(try BulkStore(session).seed(platforms), what: "platforms")
    }
}

import ArgumentParser
import FaveGames
import IGDB
import Postgres
import Storage
import StorageWrites

struct SeedPlatformsCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed-platforms",
        abstract: "Add the platforms that this version knows, and update changed ones.",
        discussion: """
            Never deletes a platform. Running it again changes nothing. "--from igdb" asks IGDB \
            for its current platforms instead, which needs IGDB_CLIENT_ID and IGDB_CLIENT_SECRET.
            """)

    enum Source: String, ExpressibleByArgument, CaseIterable {
        case version, igdb
    }

    @Option(help: "Where to get the platforms from.")
    var from = Source.version

    @Flag(help: "Do nothing if there are platforms already.")
    var ifEmpty = false

    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) async throws -> SeedReport {
        let stored = ifEmpty ? try BulkStore(session).platformCount() : 0
        guard stored == 0 else { return SeedReport(unchanged: stored, what: "platforms") }
        let platforms: [PlatformSeed] =
            switch from {
            case .version: try StarterData.platforms()
            case .igdb:
                try await IGDBSession.run(SettingsReader()) {
                    try await $0.client.platforms()
                }.compactMap(PlatformSeed.init)
            }
        return SeedReport(try BulkStore(session).seed(platforms), what: "platforms")
    }
}

extension PlatformSeed {
    /// - Returns: `nil` if the platform's slug cannot be part of one of our addresses.
    fileprivate init?(_ platform: IGDBPlatform) {
        guard platform.slug.wholeMatch(of: /[a-z0-9-]*[a-z][a-z0-9-]*/) != nil else { return nil }
        self.init(
            platform: Platform(
                id: platform.id, slug: platform.slug, name: platform.name,
                abbreviation: platform.abbreviation),
            generation: platform.generation, family: platform.family)
    }
}

import ArgumentParser
import FaveGames

/// The command `fave-admin`.
public struct FaveAdmin: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "fave-admin",
        abstract: "Set up and manage the database of fave-server.",
        discussion: """
            Uses the database that DATABASE_URL names, as fave-server does.

            To set up a new database, run migrate, seed-platforms and seed-catalogue, in this order.
            """,
        version: Release.version,
        subcommands: [
            MigrateCommand.self, SeedPlatformsCommand.self, SeedCatalogueCommand.self,
            SeedDemoCommand.self, RefreshGamesCommand.self, MarkGameCommand.self,
            RecountCommand.self, BackupCommand.self,
            RestoreCommand.self,
            MaintainCommand.self, MaintenanceModeCommand.self, UsersCommand.self,
            ReportsCommand.self, MailCommand.self,
            WebhookCommand.self,
            TokenCommand.self, RotateKeysCommand.self, DoctorCommand.self, ReadyCommand.self,
            SettingsCommand.self,
            SQLCommand.self,
        ])

    public init() {}

    public static func main() async { await runProgram() }
}

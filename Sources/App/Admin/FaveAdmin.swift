public import ArgumentParser
import FaveGames

/// The command `fave-admin`.
public struct FaveAdmin: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "fave-admin",
        abstract: "Set up and manage the database of fave-server.",
        discussion: """
            Uses the database that DATABASE_URL names, as fave-server does.

            To set up a new database, run migrate, seed-platforms and seed-catalogue, in this order.

            The exit status is 0 if all went well, 1 if something failed or is found wrong, 4 if what an \
            argument names isn't there, and 64 if the arguments are wrong. With --json, an error is \
            {"error": {"kind": "failed", "message": "…"}} on standard error; the other kinds are \
            not-found and usage.
            """,
        version: Release.version,
        subcommands: [
            MigrateCommand.self, SeedPlatformsCommand.self, SeedCatalogueCommand.self,
            SeedDemoCommand.self, GamesCommand.self, RecountCommand.self, BackupCommand.self,
            RestoreCommand.self,
            MaintainCommand.self, MaintenanceModeCommand.self, UsersCommand.self,
            ReportsCommand.self, MailCommand.self,
            WebhookCommand.self,
            AppsCommand.self, TokenCommand.self, RotateKeysCommand.self, DoctorCommand.self,
            ReadyCommand.self,
            SettingsCommand.self,
            SQLCommand.self,
        ])

    public init() {}

    public static func main() async { await runProgram() }
}

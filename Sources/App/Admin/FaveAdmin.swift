import ArgumentParser
import FaveGames
import Foundation
import Glibc

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
            MaintainCommand.self, UsersCommand.self, ReportsCommand.self, MailCommand.self,
            WebhookCommand.self,
            TokenCommand.self, RotateKeysCommand.self, DoctorCommand.self, ReadyCommand.self,
            SettingsCommand.self,
            SQLCommand.self,
        ])

    public init() {}

    /// Runs a command. In the journal, its error has the priority of an error.
    public static func main() async {
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            guard !code.isSuccess else { exit(withError: error) }  // Help goes to standard output.
            let message = fullMessage(for: error)
            if !message.isEmpty {
                FileHandle.standardError.write(Data(LineFormat.failure(message)))
            }
            Glibc.exit(code.rawValue)
        }
    }
}

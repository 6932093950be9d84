import ArgumentParser

/// The command `fave-admin`.
public struct FaveAdmin: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "fave-admin",
        abstract: "Looks after the database of fave-server.",
        discussion: """
            The database is the one that DATABASE_URL names, as for fave-server.

            A new database needs: migrate, seed-platforms, seed-catalogue.
            """,
        subcommands: [
            MigrateCommand.self, SeedPlatformsCommand.self, SeedCatalogueCommand.self,
            SeedDemoCommand.self, RefreshGamesCommand.self, RecountCommand.self, UsersCommand.self,
            TokenCommand.self,
            RotateKeysCommand.self, DoctorCommand.self, SQLCommand.self,
        ])

    public init() {}
}

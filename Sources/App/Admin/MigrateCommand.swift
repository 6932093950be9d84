import ArgumentParser
import Postgres

struct MigrateCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings the database's tables up to date.",
        discussion: """
            Applies the migrations that are missing, each in a transaction of its own. Two at once \
            wait for each other. A migration that was applied and whose file has changed is \
            refused, and so is a database that a newer version has set up.
            """)

    @OptionGroup var output: OutputOptions

    static var needsCurrentSchema: Bool { false }

    struct Report: Encodable, CustomStringConvertible {
        let applied: [String]
        let version: Int

        var description: String {
            applied.isEmpty
                ? "Nothing to do: the database is at migration \(version)."
                : "Applied \(applied.joined(separator: ", "))."
        }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let folder = try ServerSettings.migrationsFolder(SettingsReader())
        let migrations = try Migration.load(from: folder)
        let applied = try Migrator(session, migrations).migrate()
        return Report(applied: applied.map(\.fileName), version: migrations.count)
    }
}

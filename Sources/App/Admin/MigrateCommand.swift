import ArgumentParser
import Migrations
import Postgres

struct MigrateCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings the database's tables up to date.",
        discussion: """
            Applies the migrations that are missing, each in a transaction of its own. Two at once \
            wait for each other. A migration that was applied and has changed since is \
            refused, and so is a database that a newer version has set up.
            """)

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "A folder of migrations to use instead of those in the program, "
                + "to try one that is being written.",
            valueName: "folder"))
    var folder: String?

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
        let migrations = try folder.map { try Migration.load(from: $0) } ?? Migration.embedded()
        let applied = try Migrator(session, migrations).migrate()
        return Report(applied: applied.map(\.fileName), version: migrations.count)
    }
}

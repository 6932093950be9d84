import ArgumentParser
import Migrations
import Postgres

struct MigrateCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database schema up to date.",
        discussion: """
            Applies the missing migrations, each in a transaction of its own. If two of these \
            commands run at once, one waits for the other. Refuses to run if an applied migration \
            has changed since, or if a newer version has set up the database.
            """)

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "Use the migrations in this folder instead of the built-in ones, "
                + "to try out one that is being written.",
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

import ArgumentParser
import Foundation
import Migrations
import Postgres
import Storage
import StorageWrites

struct MigrateCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database schema up to date.",
        discussion: """
            Applies the missing migrations while servers keep running. No step waits longer than \
            half a second for a lock, so it can't hold up requests for longer; a step that doesn't \
            get its locks tries again, for at most ten minutes. After an interruption, the next \
            run continues where this one stopped. If two of these commands run at once, one waits \
            for the other.

            Refuses to run if servers must be stopped first, if an applied migration has changed \
            since, or if a newer version has migrated the database and this one can't work with that. \
            If it can, there is nothing to do.
            """)

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "Use the migrations in this folder instead of the built-in ones, "
                + "to try out a new migration.",
            valueName: "folder"))
    var folder: String?

    @Flag(
        help: "Go ahead even if servers are running that won't work afterwards.")
    var ignoreServers = false

    @OptionGroup var output: OutputOptions

    static var needsCurrentSchema: Bool { false }

    struct Report: Encodable, CustomStringConvertible {
        let applied: [String]
        /// The number of the database's last migration.
        let version: Int
        /// The number of the last migration that this version knows.
        let known: Int

        var description: String {
            guard applied.isEmpty else { return "Applied \(applied.joined(separator: ", "))." }
            let newer = version > known ? ", which is newer and works with this version" : ""
            return "Nothing to do: the database is at migration \(version)\(newer)."
        }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let migrations = try folder.map { try Migration.load(from: $0) } ?? Migration.embedded()
        let applied = try Migrator(session, migrations).migrate(ignoringServers: ignoreServers) {
            tell($0)
        }
        return Report(
            applied: applied.map(\.fileName), version: try BulkStore(session).appliedMigration(),
            known: migrations.count)
    }

    /// Tells on standard error what is being done, except with `--json`.
    private func tell(_ progress: Migrator.Progress) {
        guard !output.json else { return }
        let line =
            switch progress {
            case .migration(let migration): "\(migration.fileName) …"
            case .step(let step, let number, let count):
                "  step \(number) of \(count): \(step.name)"
            case .rows(let count): "    \(count) rows"
            case .waiting: "    waiting for other transactions"
            }
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}

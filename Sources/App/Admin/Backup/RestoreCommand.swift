import ArgumentParser
import Foundation
import Migrations
import Postgres
@_spi(Writing) import Storage

struct RestoreCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Load a backup into an empty database, and check it.",
        discussion: """
            The database must be new, or have no rows yet. The schema of the backup is set up, all \
            rows are loaded and checked in one transaction, and then newer migrations are applied.

            With --check, all of that happens in a temporary database beside the one that DATABASE_URL \
            names, which is not touched. The role must be allowed to create databases.

            What people have changed since the backup is as it was then. So sessions that were ended \
            are valid again, unless --end-sessions ends all of them; and so are passwords, personal \
            tokens, recovery codes and links that were changed, revoked or used.
            """)

    @Argument(help: "The backup; - for standard input.")
    var file: String

    @Flag(help: "Restore into a temporary database, and drop it again.")
    var check = false

    @Flag(help: "End all sessions of the backup, so that everyone has to sign in again.")
    var endSessions = false

    @OptionGroup var output: OutputOptions

    static var needsCurrentSchema: Bool { false }

    struct Report: Encodable, CustomStringConvertible {
        let createdAt: Date
        let schema: Int
        let tables: [TableSummary]
        let restored: Bool
        /// The counts that were not those of the entries.
        let correctedCounts: Int
        /// `nil` if none were to be ended.
        let endedSessions: Int?

        var description: String {
            let rows = tables.reduce(0) { $0 + $1.rows }
            let what =
                "\(rows) rows of \(tables.count) tables, from \(createdAt.formatted(.iso8601))"
            let counts =
                correctedCounts == 0
                ? "All counts are correct."
                : """
                \(correctedCounts) count\(correctedCounts == 1 ? " was" : "s were") not those of the \
                entries, and corrected.
                """
            guard restored else { return "The backup can be restored: \(what). \(counts)" }
            let sessions = endedSessions.map { " \($0) session\($0 == 1 ? "" : "s") ended." } ?? ""
            return "Restored \(what). \(counts)\(sessions)"
        }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let reader = try BackupReader(file)
        let migrations = try Migration.embedded()
        let schema = try schema(of: reader, known: migrations.count)
        guard check else { return try restore(reader, migrations, schema, session) }
        let name = "fave_check_\(UUID().uuidString.lowercased().prefix(8))"
        let drop = "DROP DATABASE IF EXISTS \(name) WITH (FORCE)"
        let url = try SettingsReader().value(Settings.database.url)
        let interruption = Interruption {
            try? BlockingSession(connectionString: url).execute(drop)
        }
        defer { withExtendedLifetime(interruption) {} }
        do throws(PostgresError) {
            try session.execute("CREATE DATABASE \(name)")
        } catch {
            throw OperatorError(
                """
                To check a backup, it is restored into a temporary database, and that can't be \
                created (\(error.debugDescription)). If the role is not allowed to, run: \
                ALTER ROLE … CREATEDB
                """)
        }
        defer {
            do throws(PostgresError) {
                try session.execute(drop)
            } catch {
                FileHandle.standardError.write(
                    Data("The temporary database \(name) could not be dropped: \(error)\n".utf8))
            }
        }
        let temporary = try BlockingSession(connectionString: url, database: name)
        return try restore(reader, migrations, schema, temporary)
    }

    private func restore(
        _ reader: BackupReader, _ migrations: [Migration], _ schema: Int,
        _ session: BlockingSession
    ) throws -> Report {
        let header = reader.header
        try setUpSchema(session, Array(migrations.prefix(schema)))
        let store = BulkStore(session)
        let known = try store.backedUpTables()
        let tables = header.tables.map { reader.isFormer ? FormerSchema.renamed($0) : $0 }
        let isComplete =
            reader.isFormer
            ? Set(known.map(\.name)).subtracting(FormerSchema.laterTables)
                == Set(tables.map(\.name))
            : known.sorted { $0.name < $1.name } == tables.sorted { $0.name < $1.name }
        guard isComplete else {
            throw OperatorError("\(file) is damaged: its tables are not those of its schema.")
        }
        let filled = try store.tablesWithRows(known)
        guard filled.isEmpty else {
            throw OperatorError(
                """
                The database is not empty: there are rows in \(filled.joined(separator: ", ")). \
                Create a new one and name it in DATABASE_URL.
                """)
        }
        var summaries: [TableSummary] = []
        var endedSessions: Int?
        var correctedCounts = 0
        var progress = ProgressBar("Restoring", total: header.tables.count, isShown: !output.json)
        do {
            try store.restoring(known) {
                for (stored, renamed) in zip(header.tables, tables) {
                    let table = known.first { $0.name == renamed.name } ?? renamed
                    let summary = try reader.readTable(stored) { next in
                        if reader.isFormer {
                            try store.loadRows(of: table, from: renamed, next)
                        } else {
                            try store.loadRows(of: table, next)
                        }
                    }
                    guard try store.rowCount(of: table) == summary.rows else {
                        throw OperatorError("Not all rows of \(table.name) were loaded.")
                    }
                    summaries.append(summary)
                    progress.advance(by: 1)
                }
                try reader.finish()
                if endSessions { endedSessions = try store.endSessions() }
                correctedCounts = try store.mendCounts()
            }
        } catch {
            progress.finish()
            throw error
        }
        progress.finish()
        try store.analyze()
        _ = try Migrator(session, migrations).migrate()
        return Report(
            createdAt: header.createdAt, schema: header.schema, tables: summaries, restored: !check,
            correctedCounts: correctedCounts, endedSessions: endedSessions)
    }

    /// The number of the last migration that the backup's database had, as this program counts them.
    ///
    /// - Parameter known: How many migrations the program has.
    private func schema(of reader: BackupReader, known: Int) throws -> Int {
        let header = reader.header
        guard reader.isFormer else {
            guard header.schema <= known else {
                throw OperatorError(
                    """
                    \(file) was made by a newer version (\(header.program)): its schema is that of \
                    migration \(header.schema), and this program knows \(known). Install that \
                    version.
                    """)
            }
            return header.schema
        }
        guard header.schema == FormerSchema.lastMigration else {
            throw OperatorError(
                """
                \(file) was made by a version long before 1.0. Restore it with the last version \
                before 1.0, and back up again.
                """)
        }
        return FormerSchema.successor
    }

    private func setUpSchema(_ session: BlockingSession, _ migrations: [Migration]) throws {
        let newer = OperatorError(
            """
            The database has a newer schema than the backup. Create a new one and name it in \
            DATABASE_URL.
            """)
        do {
            _ = try Migrator(session, migrations).migrate()
        } catch let error as MigrationError where error.code == .databaseIsNewer {
            throw newer
        }
        guard try BulkStore(session).appliedMigration() == migrations.count else { throw newer }
    }
}

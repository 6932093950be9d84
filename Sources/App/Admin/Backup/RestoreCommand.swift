import ArgumentParser
import Foundation
import Migrations
import Postgres
import Storage

struct RestoreCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Load a backup into an empty database, and check it.",
        discussion: """
            The database must be new, or have no rows yet. The schema of the backup is set up, all \
            rows are loaded and checked in one transaction, and then newer migrations are applied.

            What people have changed since the backup is as it was then. So sessions that were ended \
            are valid again, unless --end-sessions ends all of them; and so are passwords, personal \
            tokens, recovery codes and links that were changed, revoked or used.
            """)

    @Argument(help: "The backup; - for standard input.")
    var file: String

    @Flag(help: "Read and check the backup, and restore nothing.")
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
        /// `nil` if none were to be ended.
        let endedSessions: Int?

        var description: String {
            let rows = tables.reduce(0) { $0 + $1.rows }
            let what =
                "\(rows) rows of \(tables.count) tables, from \(createdAt.formatted(.iso8601))"
            guard restored else { return "The backup is good: \(what)." }
            let sessions = endedSessions.map { " \($0) session\($0 == 1 ? "" : "s") ended." } ?? ""
            return "Restored \(what). All counts are correct.\(sessions)"
        }
    }

    func run() async throws {
        // To check a backup takes no database.
        guard check else { return try await runWithDatabase() }
        let reader = try BackupReader(file)
        let tables = try reader.header.tables.map { table in
            try reader.readTable(table) { next in while try next() != nil {} }
        }
        try reader.finish()
        print(
            try text(
                of: Report(
                    createdAt: reader.header.createdAt, schema: reader.header.schema,
                    tables: tables, restored: false, endedSessions: nil)))
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let reader = try BackupReader(file)
        let header = reader.header
        let migrations = try Migration.embedded()
        try setUpSchema(
            session, Array(migrations.prefix(schema(of: reader, known: migrations.count))))
        let store = BulkStore(session)
        let known = try store.backedUpTables()
        let tables = header.tables.map { reader.isFormer ? FormerSchema.renamed($0) : $0 }
        let isComplete =
            reader.isFormer
            ? Set(known.map(\.name)) == Set(tables.map(\.name))
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
                let differences = try store.countDifferences()
                guard differences.isEmpty else {
                    throw OperatorError(
                        """
                        \(differences.count) counts of the backup don't match its entries. Nothing \
                        was restored. Run fave-admin recount where it was made, and back up again.
                        """)
                }
            }
        } catch {
            progress.finish()
            throw error
        }
        progress.finish()
        try store.analyze()
        _ = try Migrator(session, migrations).migrate()
        return Report(
            createdAt: header.createdAt, schema: header.schema, tables: summaries, restored: true,
            endedSessions: endedSessions)
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
        do {
            _ = try Migrator(session, migrations).migrate()
        } catch let error as MigrationError where error.code == .databaseIsNewer {
            throw OperatorError(
                """
                The database has a newer schema than the backup. Create a new one and name it in \
                DATABASE_URL.
                """)
        }
    }
}

import ArgumentParser
import Encodings
import Foundation
import Migrations
import Postgres
import Storage
import StorageWrites

struct RestoreCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Load a backup into an empty database, and check it.",
        discussion: """
            Runs PostgreSQL's pg_restore, which must be at least as new as the server and as the \
            pg_dump that made the backup. The database must be new. Everything is restored in one \
            transaction: if the file is damaged, or anything fails, the database stays empty. Then newer \
            migrations are applied, and counts are derived from the entries again.

            Only restore or check files that nobody else could write: the SQL in a backup runs as the \
            role of DATABASE_URL, and the checksum only reveals accidents.

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
        let createdAt: String
        let schema: Int
        let tables: Int
        let users: Int
        let restored: Bool
        /// The counts that were not those of the entries.
        let correctedCounts: Int
        let endedSessions: Bool

        var description: String {
            let what = "\(tables) tables, with \(users) users, from \(createdAt)"
            let counts =
                correctedCounts == 0
                ? "All counts are correct."
                : """
                \(correctedCounts) count\(correctedCounts == 1 ? " was" : "s were") not those of the \
                entries, and corrected.
                """
            guard restored else { return "The backup can be restored: \(what). \(counts)" }
            return "Restored \(what). \(counts)\(endedSessions ? " All sessions are ended." : "")"
        }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let store = BulkStore(session)
        let url = try SettingsReader().value(Settings.database.url)
        let name = "fave_check_\(UUID().text.prefix(8))"
        let drop = "DROP DATABASE IF EXISTS \(name) WITH (FORCE)"
        let check = check
        let interruption = Interruption {
            PostgresProgram.interrupt()
            if check { try? BlockingSession(connectionString: url).execute(drop) }
        }
        defer { withExtendedLifetime(interruption) {} }
        let archive = try BackupArchive(
            BackupFile(reading: file), forServer: store.serverVersion())
        let migrations = try Migration.embedded()
        let schema = try archive.checkSchema(migrations)
        guard check else {
            return try restore(
                archive, schema, session, ClientConnection(connectionString: url))
        }
        do throws(PostgresError) {
            let creation = try store.creation(ofDatabase: name)
            try interruption.postpone { () throws(PostgresError) in try session.execute(creation) }
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
        return try restore(
            archive, schema, BlockingSession(connectionString: url, database: name),
            ClientConnection(connectionString: url, database: name))
    }

    private func restore(
        _ archive: BackupArchive, _ schema: Int, _ session: BlockingSession,
        _ connection: ClientConnection
    ) throws -> Report {
        let store = BulkStore(session)
        let migrator = try Migrator(session, Migration.embedded())
        try migrator.checkLocale()
        let relations = try store.relations()
        guard relations.isEmpty else {
            throw OperatorError(
                """
                The database is not empty: it has \(relations.prefix(3).joined(separator: ", "))\
                \(relations.count > 3 ? " and more" : ""). Create a new one and name it in \
                DATABASE_URL.
                """)
        }
        var progress: ProgressBar?
        defer { progress?.finish() }
        do {
            try archive.restore(to: connection) { line in
                endSessions && line.contains(" TABLE DATA public sessions ")
            } _: { total, isDone in
                if isDone {
                    progress?.advance(by: 1)
                } else {
                    progress = ProgressBar("Restoring", total: total, isShown: !output.json)
                }
            }
        } catch let error as OperatorError {
            throw OperatorError("\(error) Nothing was restored.")
        }
        do {
            _ = try migrator.migrate()
            try store.noteRestore()
            let corrected = try store.mendCounts()
            try store.analyze()
            return try Report(
                createdAt: archive.createdAt, schema: schema, tables: archive.tables,
                users: session.query("SELECT count(*) FROM users")[0][0], restored: !check,
                correctedCounts: corrected, endedSessions: endSessions)
        } catch {
            throw OperatorError(
                """
                The backup is restored, but what follows failed: \(error) Run fave-admin migrate and \
                fave-admin maintain.
                """)
        }
    }
}

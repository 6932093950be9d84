import Foundation
import Glibc
import Migrations
import Postgres

/// What pg_restore finds in a backup.
struct BackupArchive {
    private let file: BackupFile
    private let program: PostgresProgram
    /// When it was made, in UTC.
    let createdAt: String
    /// The lines for each thing in it, in the order to restore them.
    private let contents: [Substring]
    /// The number of tables whose rows are in it.
    var tables: Int { contents.count { $0.contains(" TABLE DATA public ") } }

    /// Checks the file, and reads the list of what is in it.
    ///
    /// - Parameter server: The major version of the server to restore to.
    init(_ file: BackupFile, forServer server: Int) throws {
        try file.check()
        self.file = file
        // Not the newest at once: pg_restore 17 and newer set what older servers don't know.
        var readable: String?
        program = try PostgresProgram("pg_restore", forServer: server) {
            readable = try? Self.text(["--list"], file, $0)
            return readable != nil
        }
        // If no program can read it, the best one says why.
        let list = try readable ?? Self.text(["--list"], file, program)
        guard let created = list.firstMatch(of: /Archive created at ([^\n]+)/)?.1 else {
            throw OperatorError(
                "\(file.name) can't be read: pg_restore doesn't say when it was made.")
        }
        createdAt = String(created)
        contents = list.split(separator: "\n").filter { !$0.hasPrefix(";") }
    }

    private static func text(
        _ arguments: [String], _ file: BackupFile, _ program: PostgresProgram
    ) throws -> String {
        var bytes: [UInt8] = []
        try program.run(arguments, input: file.fromBeginning()) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Checks that the program has all migrations that the backup's database had.
    ///
    /// - Returns: Their number.
    func checkSchema(_ known: [Migration]) throws -> Int {
        let sql = try Self.text(
            ["--data-only", "--schema=public", "--table=schema_migrations", "--file=-"], file,
            program)
        let lines = sql.split(separator: "\n").drop {
            !$0.hasPrefix("COPY public.schema_migrations (version, name, checksum,")
        }
        let rows = lines.dropFirst().prefix { $0 != "\\." }
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        let applied = rows.filter { $0.count > 2 }.sorted { first, second in
            (Int(first[0]) ?? 0) < (Int(second[0]) ?? 0)
        }
        guard !applied.isEmpty else {
            throw OperatorError("\(file.name) is not a backup of Fave Games.")
        }
        guard applied.count <= known.count else {
            throw OperatorError(
                """
                \(file.name) was made by a newer version: its schema is that of migration \
                \(applied.count), and this program knows \(known.count). Install that version.
                """)
        }
        for (columns, migration) in zip(applied, known)
        where Int(columns[0]) != migration.version || columns[2] != migration.checksum {
            throw OperatorError(
                """
                \(file.name) has a schema that this program doesn't know: its migration \(columns[0]) \
                (\(columns[1])) is another one than \(migration.fileName).
                """)
        }
        return applied.count
    }

    /// Restores everything in one transaction.
    ///
    /// - Parameters:
    ///   - connection: To an empty database.
    ///   - leavesOut: Whether to leave out something, by its line.
    ///   - progress: Called with how many things there are, and then after each.
    func restore(
        to connection: ClientConnection, leavingOut leavesOut: (Substring) -> Bool,
        _ progress: (_ total: Int, _ isDone: Bool) -> Void
    ) throws {
        // The schema is there already, and only a superuser may comment on what a superuser has installed.
        let wanted = contents.filter { line in
            !line.contains(" SCHEMA - ") && !line.contains(" COMMENT - ") && !leavesOut(line)
        }
        let list = BackupFile.temporaryPath()
        defer { unlink(list) }
        var lines = wanted.joined(separator: "\n")
        try lines.withUTF8 { try BackupFile(creating: list).write(.init($0)) }
        progress(wanted.count, false)
        try program.run(
            [
                "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges",
                "--no-tablespaces", "--no-password", "--verbose", "--use-list=\(list)",
                "--dbname=\(connection.connectionString)",
            ], input: file.fromBeginning(), environment: connection.environment,
            message: { message in
                // The list is read before the first message. So no signal leaves it behind from here on.
                unlink(list)
                if message.contains(#/: (creating|executing|processing data for table) /#) {
                    progress(wanted.count, true)
                }
            })
    }
}

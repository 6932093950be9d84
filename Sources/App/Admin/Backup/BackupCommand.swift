import ArgumentParser
import Foundation
import Glibc
import Postgres
import Sockets
import Storage
import StorageWrites

struct BackupCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up the database to a file.",
        discussion: """
            Runs PostgreSQL's pg_dump, which must be at least as new as the server. The file is a \
            snapshot of a single moment; people can keep using the service. It is compressed, ends with \
            a checksum, and can be restored with this version or a newer one, on the same version of \
            PostgreSQL or a newer one. Keep it secret: it contains password hashes and the keys that \
            sign access tokens.

            The file is an archive in pg_dump's custom format: pg_restore --list shows what is in it.

            For large sites, PostgreSQL's own continuous archiving works as well.
            """)

    @Argument(help: "The file to create; - for standard output.")
    var file: String

    @OptionGroup var output: OutputOptions

    /// pg_dump backs up any schema, and a database that is about to be migrated needs it most.
    static var needsCurrentSchema: Bool { false }

    struct Report: Encodable, CustomStringConvertible {
        let file: String
        let tables: Int
        let bytes: Int
        let seconds: Double

        var description: String {
            let megabytes = Double((bytes + 50_000) / 100_000) / 10
            return """
                Backed up \(tables) tables to \(file): \(megabytes) MB, in \
                \(Int(seconds.rounded(.up))) s.
                """
        }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let store = BulkStore(session)
        let start = ContinuousClock.now
        if file != "-", FileManager.default.fileExists(atPath: file) {
            throw OperatorError("\(file) already exists. Choose another name, or remove it.")
        }
        let program = try PostgresProgram("pg_dump", forServer: store.serverVersion())
        let connection = try ClientConnection(
            connectionString: SettingsReader().value(Settings.database.url))
        // Under another name until it is complete, so that no one takes half of it for a backup.
        let partial = file == "-" ? file : file + ".partial"
        let target = try BackupFile(creating: partial)
        let created = file == "-" ? nil : FileIdentity(path: partial)
        let interruption = Interruption {
            PostgresProgram.interrupt()
            try? created?.remove(at: partial)
        }
        defer { withExtendedLifetime(interruption) {} }
        var tables = 0
        do {
            try store.inSnapshot { plan in
                tables = plan.tables
                try dump(plan, with: program, connection, to: target)
            }
            try target.finish()
            if file != "-" { try publish(partial) }
        } catch {
            try? created?.remove(at: partial)
            throw error
        }
        do {
            try store.noteBackup()
        } catch {
            // A standby takes no writes.
            FileHandle.standardError.write(
                Data("The backup is complete, but its time could not be recorded: \(error)\n".utf8))
        }
        return Report(
            file: file, tables: tables, bytes: target.size,
            seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    private func dump(
        _ plan: BackupPlan, with program: PostgresProgram, _ connection: ClientConnection,
        to target: BackupFile
    ) throws {
        var progress = ProgressBar(
            "Backing up", total: plan.tables, isShown: !output.json && file != "-")
        defer { progress.finish() }
        try program.run(
            [
                "--format=custom", "--verbose", "--no-password", "--snapshot=\(plan.snapshot)",
                // Whoever wants to lock a table waits for the session that has the snapshot, and pg_dump
                // would wait for them.
                "--lock-wait-timeout=60s",
                "--schema=public", "--dbname=\(connection.connectionString)",
            ] + plan.extensions.map { "--extension=\($0)" }
                + BulkStore.notBackedUp.keys.sorted().map { "--exclude-table-data=public.\($0)" },
            environment: connection.environment
        ) {
            try target.write($0)
        } message: {
            if $0.contains("dumping contents of table") { progress.advance(by: 1) }
        }
    }

    /// Gives the complete file its name, unless there is one of that name now.
    private func publish(_ partial: String) throws {
        if link(partial, file) == 0 {
            unlink(partial)
        } else if errno == EEXIST {
            throw OperatorError("\(file) already exists. Choose another name, or remove it.")
        } else if rename(partial, file) != 0 {  // A file system without links.
            throw OperatorError("\(file) can't be created: \(String(cString: strerror(errno))).")
        }
        // The name must be on the disk, too.
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    func text(of report: Report) throws -> String {
        // Standard output is the backup.
        file == "-" ? "" : try standardText(of: report)
    }
}

import ArgumentParser
import FaveGames
import Foundation
import Glibc
import Migrations
import Postgres
import Sockets
@_spi(Writing) import Storage

struct BackupCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up the database to a file.",
        discussion: """
            The file is a snapshot of a single moment; people can keep using the service. It is \
            compressed, has checksums, and can be restored with this version or a newer one, on any \
            version of PostgreSQL. Keep it secret: it contains password hashes and the keys that \
            sign access tokens. zcat shows what is in it.

            A database that a newer version has migrated is refused: only that version can back it up.

            For large sites, pg_dump and PostgreSQL's own continuous archiving work as well.
            """)

    @Argument(help: "The file to create; - for standard output.")
    var file: String

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let file: String
        let schema: Int
        let tables: [TableSummary]

        var description: String {
            let rows = tables.reduce(0) { $0 + $1.rows }
            return "Backed up \(rows) rows of \(tables.count) tables to \(file)."
        }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let store = BulkStore(session)
        let schema = try Migration.embedded().count
        if file != "-", FileManager.default.fileExists(atPath: file) {
            throw OperatorError("\(file) already exists. Choose another name, or remove it.")
        }
        // Under another name until it is complete, so that no one takes half of it for a backup.
        let partial = file == "-" ? file : file + ".partial"
        let target = try GzipFile(creating: partial)
        let created = file == "-" ? nil : FileIdentity(path: partial)
        let interruption = Interruption { try? created?.remove(at: partial) }
        defer { withExtendedLifetime(interruption) {} }
        var summaries: [TableSummary] = []
        do {
            try store.inSnapshot(ofSchema: schema) { tables in
                let writer = try BackupWriter(
                    target,
                    BackupHeader(
                        createdAt: Date(), program: Release.version, schema: schema, tables: tables)
                )
                var progress = ProgressBar(
                    "Backing up", total: tables.count, isShown: !output.json && file != "-")
                for table in tables {
                    summaries.append(
                        try writer.write(table) { try store.readRows(of: table, $0) })
                    progress.advance(by: 1)
                }
                progress.finish()
                try writer.finish()
            }
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
        return Report(file: file, schema: schema, tables: summaries)
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

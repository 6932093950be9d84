import ArgumentParser
import Foundation
import Migrations
import Postgres
import Storage

struct BackupCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write everything that people have made to a file.",
        discussion: """
            The file holds the state of one moment; people can go on using the service. It is \
            compressed, has checksums, and can be restored with this version or a newer one, on any \
            version of PostgreSQL. Keep it secret: it holds digests of passwords and the keys that \
            sign access tokens. zcat shows what is in it.

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
        let migrations = try Migration.embedded()
        let tables = try store.backedUpTables()
        // Under another name until it is complete, so that no one takes half of it for a backup.
        let partial = file == "-" ? file : file + ".partial"
        if file != "-", FileManager.default.fileExists(atPath: file) {
            throw OperatorError("\(file) is there already. Choose another name, or remove it.")
        }
        let target = try GzipFile(creating: partial)
        var summaries: [TableSummary] = []
        do {
            let writer = try BackupWriter(
                target,
                BackupHeader(
                    createdAt: Date(), program: Release.version, schema: migrations.count,
                    tables: tables))
            var progress = ProgressBar(
                "Backing up", total: tables.count, isShown: !output.json && file != "-")
            try store.inSnapshot {
                for table in tables {
                    summaries.append(
                        try writer.write(table) { try store.readRows(of: table, $0) })
                    progress.advance(by: 1)
                }
            }
            progress.finish()
            try writer.finish()
            if file != "-" {
                // Not moveItem(atPath:), which would not say that the file has appeared meanwhile.
                guard link(partial, file) == 0 else {
                    throw OperatorError(
                        "\(file) can't be created: \(String(cString: strerror(errno))).")
                }
                unlink(partial)
            }
        } catch {
            if file != "-" { unlink(partial) }
            throw error
        }
        try store.noteBackup()
        return Report(file: file, schema: migrations.count, tables: summaries)
    }

    func text(of report: Report) throws -> String {
        // Standard output is the backup.
        file == "-" ? "" : try standardText(of: report)
    }
}

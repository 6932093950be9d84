import Crypto
import Encodings
import Foundation
@_spi(Writing) import Storage

/// Reads a backup from its beginning to its end, and checks it on the way.
struct BackupReader {
    let header: BackupHeader
    /// Whether a version older than 1.0 made the backup.
    let isFormer: Bool
    private let file: GzipFile
    private let name: String

    /// Reads the header.
    init(_ path: String) throws {
        name = path
        file = try GzipFile(reading: path)
        guard let first = try file.readLine(),
            let match = String(decoding: first, as: UTF8.self)
                .wholeMatch(of: /Fave Games backup, format ([0-9]{1,9})\n/),
            let format = Int(match.1)
        else { throw OperatorError("\(path) is not a backup of Fave Games.") }
        guard format <= BackupHeader.format else {
            throw OperatorError(
                """
                \(path) was made by a newer version: its format is \(format), and this program \
                knows \(BackupHeader.format). Install that version.
                """)
        }
        guard let line = try file.readLine(),
            let header = try? BackupHeader.coder.decoder.decode(
                BackupHeader.self, from: Data(line))
        else { throw OperatorError("\(path) is damaged: its header can't be read.") }
        self.header = header
        isFormer = format == 1
        for table in header.tables {
            do {
                try table.check()
            } catch {
                throw OperatorError("\(path) is damaged. \(error)")
            }
        }
    }

    /// Reads the next table.
    ///
    /// - Parameter load: Reads all rows from its argument, which returns some lines, and `nil` at the
    ///   end.
    func readTable(
        _ table: BackedUpTable, _ load: (() throws -> [UInt8]?) throws -> Void
    ) throws -> TableSummary {
        guard try line() == "table \(table.name)\n" else {
            throw damage("\(table.name) is not where it should be")
        }
        var checksum = SHA256()
        var count = 0
        var isAtEnd = false
        try load {
            guard !isAtEnd else { return nil }
            var lines: [UInt8] = []
            while lines.count < Self.batch {
                guard let line = try file.readLine() else { throw damage("its end is missing") }
                guard line != Self.end else {
                    isAtEnd = true
                    break
                }
                lines += line
                count += 1
            }
            checksum.update(data: lines)
            return lines
        }
        guard try line() == "\(count) \(Hexadecimal.encode(checksum.finalize()))\n" else {
            throw damage("the rows of \(table.name) don't match their checksum")
        }
        return TableSummary(table: table.name, rows: count)
    }

    /// Checks that nothing is missing.
    func finish() throws {
        guard try line() == "end\n", try file.readLine() == nil else {
            throw damage("its end is missing")
        }
    }

    private static let batch = 262_144
    private static let end = Array("\\.\n".utf8)

    private func line() throws -> String {
        try file.readLine().map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func damage(_ what: String) -> OperatorError {
        OperatorError("\(name) is damaged: \(what). Nothing was restored.")
    }
}

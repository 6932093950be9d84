import Crypto
import Encodings
import Foundation
@_spi(Writing) import Storage

/// Writes a backup.
struct BackupWriter {
    private let file: GzipFile

    init(_ file: GzipFile, _ header: BackupHeader) throws {
        self.file = file
        try file.write("\(BackupHeader.magic)\(BackupHeader.format)\n")
        let json = try BackupHeader.coder.encoder.encode(header)
        try file.write(String(decoding: json, as: UTF8.self) + "\n")
    }

    /// Writes a table.
    ///
    /// - Parameter rows: Calls its argument with each row.
    func write(
        _ table: BackedUpTable, _ rows: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> TableSummary {
        try file.write("table \(table.name)\n")
        var checksum = SHA256()
        var count = 0
        try rows { line in
            checksum.update(bufferPointer: line)
            count += 1
            try file.write(line)
        }
        try file.write("\\.\n\(count) \(Hexadecimal.encode(checksum.finalize()))\n")
        return TableSummary(table: table.name, rows: count)
    }

    func finish() throws {
        try file.write("end\n")
        try file.finishWriting()
    }
}

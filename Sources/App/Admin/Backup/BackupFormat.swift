import Foundation
@_spi(Writing) import Storage

/// What the beginning of a backup tells.
///
/// A backup is text, compressed with gzip: a line with the name and the version of the format, a line
/// with this header as JSON, and for each table the line `table NAME`, the rows in the text format of
/// COPY, a line `\.`, and a line with the number of rows and the SHA-256 of their lines. The last line
/// is `end`. So `zcat` shows it, and a backup that was cut off is noticed.
struct BackupHeader: Codable, Equatable {
    let createdAt: Date
    /// The version of the program that made it.
    let program: String
    /// The number of the latest migration that its database had.
    let schema: Int
    let tables: [BackedUpTable]

    static let magic = "Fave Games backup, format "
    /// The version of the format, which changes when older programs could no longer read it. Since
    /// version 2, `schema` counts the migrations of 1.0.
    static let format = 2

    static var coder: (encoder: JSONEncoder, decoder: JSONDecoder) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys]
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return (encoder, decoder)
    }
}

/// The number of rows of a table in a backup.
struct TableSummary: Codable, Equatable {
    let table: String
    let rows: Int
}

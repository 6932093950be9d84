import CSV
public import FaveGames
import JSON

/// Why a file can't be imported at all, although it is CSV.
public enum ImportFault: Error, Hashable, Sendable {
    case noNameColumn(headings: [String])
    case noRows
}

/// Reads the games in a CSV file from elsewhere. Takes time in proportion to the file, so it is for a
/// worker's thread.
public struct ImportFile {
    private let places: [ImportColumn: Int]
    private let width: Int
    /// Whether the headings say that the numbers of the games are IGDB's.
    private let hasIGDBsIDs: Bool
    private let platforms: PlatformNames

    private init(_ header: [String], _ platforms: PlatformNames) throws(ImportFault) {
        places = ImportColumn.places(in: header)
        width = header.count
        hasIGDBsIDs = ImportColumn.hasIGDBsIDs(header, places)
        self.platforms = platforms
        let hasProof = hasIGDBsIDs || places[.gameID] != nil && places[.address] != nil
        guard places[.name] != nil || hasProof else {
            throw .noNameColumn(headings: header)
        }
    }

    /// The rows of a file in the order of an import: the best rated first, and then in the file's order.
    ///
    /// - Throws: `CSVError` or `ImportFault`.
    public static func rows(
        _ bytes: [UInt8], platforms: PlatformNames
    ) throws -> [ImportedRow] {
        var reader = try CSVReader(bytes, limits: .init(records: ImportedRow.limit))
        let file = try ImportFile(reader.header, platforms)
        var rows: [(row: ImportedRow, score: Score?)] = []
        while let record = try reader.next() {
            // Spreadsheets save rows that were emptied.
            guard record.fields.contains(where: { !$0.isEmpty }) else { continue }
            rows.append(file.row(record))
        }
        guard !rows.isEmpty else { throw ImportFault.noRows }
        // A rating with its own scale says nothing about the scale of the others.
        let scale = scale(
            of: rows.compactMap(\.score).filter { $0.scale == nil }.map(\.value).max() ?? 0)
        // The standard library's sort is stable, but its documentation does not guarantee that;
        // comparing the lines does.
        return rows.map { row, score in (row, share: score.map { $0.value / ($0.scale ?? scale) }) }
            .sorted { a, b in (b.share ?? -1, a.0.line) < (a.share ?? -1, b.0.line) }
            .map { row, share in
                var row = row
                row.rating = share.flatMap { Rating(min(5, max(1, Int(($0 * 5).rounded())))) }
                return row
            }
    }

    /// The top of the scale that a file's highest rating belongs to.
    private static func scale(of highest: Double) -> Double {
        highest <= 5 ? 5 : highest <= 10 ? 10 : 100
    }

    // MARK: Rows

    private func row(_ record: CSVReader.Record) -> (ImportedRow, score: Score?) {
        func cell(_ column: ImportColumn) -> String {
            guard let place = places[column], place < record.fields.count else { return "" }
            return CSVWriter.restored(record.fields[place])
        }
        var row = ImportedRow(line: record.line)
        row.name = Self.short(cell(.name))
        row.gameID = GameID.parse(cell(.gameID))
        row.isIGDBsID = row.gameID != nil && (hasIGDBsIDs || Self.isAtIGDB(cell(.address)))
        let names = Self.names(cell(.platform))
        row.platforms = Self.short(names.joined(separator: ", "))
        row.platformIDs =
            GameID.parse(cell(.platformID)).flatMap { platforms.isKnown($0) ? [$0] : nil }
            ?? Array(platforms.ids(names).prefix(50))
        row.releaseYear = Self.year(in: cell(.release)) ?? Self.year(after: row.name)
        let score = Score(cell(.rating))
        row.score = score == nil ? "" : Self.short(cell(.rating), 20)
        row.comment = Self.comment(cell(.comment))
        row.tags = (try? Tags(commaSeparated: cell(.tags))) ?? .none
        row.shelf = Self.short(Self.names(cell(.shelf)).joined(separator: ", "))
        row.date = Self.date(in: cell(.date)) ?? ""
        if record.fields.dropFirst(width).contains(where: { !$0.isEmpty }) {
            row.finding = .malformed
        } else if row.name.isEmpty, !row.isIGDBsID {
            row.finding = .noName
        }
        return (row, score)
    }

    private static func short(_ text: String, _ limit: Int = ImportedRow.textLimit) -> String {
        String(OneLine.clean(text).unicodeScalars.prefix(limit))
    }

    /// The names in a cell: the keys of a JSON object, as in Grouvee's files, or a text with
    /// commas, semicolons or bars between the names.
    private static func names(_ cell: String) -> [String] {
        if cell.utf8.first == UInt8(ascii: "{") {
            guard case .object(let members)? = try? JSONParser.parse(Array(cell.utf8)) else {
                return []
            }
            return members.keys.sorted()
        }
        // The last piece is the rest. No real cell has so many names.
        return cell.split(maxSplits: 100) { ",;|".contains($0) }.prefix(100)
            .map { OneLine.clean(String($0)) }.filter { !$0.isEmpty }
    }

    /// A text that is longer than a comment may be is cut.
    private static func comment(_ cell: String) -> Comment {
        if let comment = try? Comment(cell) { return comment }
        let cut = String(cell.unicodeScalars.prefix(Comment.limit - 1)) + "…"
        return (try? Comment(cut)) ?? .empty
    }

    private static func year(in cell: String) -> Int? {
        cell.prefix(100).firstMatch(of: unsafe yearPattern).flatMap { Int($0.1) }
    }

    /// The year after a name, as in "Doom (2016)".
    private static func year(after name: String) -> Int? {
        name.firstMatch(of: unsafe yearAfterPattern).flatMap { Int($0.1) }
    }

    /// Whether a text is the address of a game's page at IGDB.
    private static func isAtIGDB(_ cell: String) -> Bool {
        var address = Substring(cell.lowercased())
        for start in ["https://", "http://", "www."] { address.trimPrefix(start) }
        return address.hasPrefix("igdb.com/games/")
    }

    private static func date(in cell: String) -> String? {
        cell.firstMatch(of: unsafe datePattern).map { String($0.0) }
    }

    // Stored, since a literal is parsed at each use. `Regex` is not declared Sendable, and is only read.
    nonisolated(unsafe) private static let yearPattern = /(?:^|\D)((?:19|20)\d\d)(?:\D|$)/
    nonisolated(unsafe) private static let yearAfterPattern = /\(((?:19|20)\d\d)\)\s*$/
    nonisolated(unsafe) private static let datePattern = /(?:19|20)\d\d-[01]\d-[0-3]\d/
}

/// A rating as written in a file: "4.5", "4,5", "9/10" or "80%".
private struct Score {
    let value: Double
    /// The highest possible value, if the file states it.
    let scale: Double?

    /// - Returns: `nil` for no rating, which is also what 0 means.
    init?(_ cell: String) {
        guard !cell.isEmpty else { return nil }
        let text = cell.prefix(30)
        guard
            let match = text.firstMatch(of: unsafe Self.pattern),
            let value = Double(match.1.replacing(",", with: ".")), value > 0, value <= 100
        else { return nil }
        self.value = value
        let scale = match.2 != nil ? 100 : match.3.flatMap { Double($0) }
        self.scale = scale.flatMap { $0 >= value ? $0 : nil }
    }

    nonisolated(unsafe) private static let pattern =
        /^\s*(\d{1,10}(?:[.,]\d{0,10})?)\s*(?:(%)|(?:\/|out of)\s*(\d{1,3})(?!\d))?/
}

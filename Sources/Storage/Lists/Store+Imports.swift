public import FaveGames
public import Foundation
public import Postgres

/// A row of an import as it is stored.
public struct StoredImportRow: Sendable {
    /// The row in the file, and what we know of it so far.
    public let row: ImportedRow
    public let game: Game?
    public let platform: Platform?
}

// Lists from elsewhere, as suggestions. Each statement checks that the user may see or change the
// import.
extension Store {
    /// The user's import; `nil` if there is none.
    public func gameImport(userID: UUID) async throws(PostgresError) -> GameImport? {
        try await database.query(ImportQueries.ofUser, [.uuid(userID)]).first
    }

    /// A page of the rows of the user's import whose games were looked for.
    ///
    /// - Parameters:
    ///   - areSuggested: Whether to return the rows that can be picked, or the others.
    ///   - limit: At most 100.
    public func importRows(
        userID: UUID, areSuggested: Bool, limit: Int, at cursor: ImportCursor? = nil
    ) async throws(PostgresError) -> ImportRows {
        let direction = cursor?.direction ?? .after
        let found = try await database.query(
            direction == .after ? ImportQueries.rows : ImportQueries.rowsBefore,
            [.uuid(userID), .bool(areSuggested), .int(cursor?.place ?? 0), .int(limit + 1)])
        let page = PageSlice(found, limit: limit, cursor?.direction)
        guard let first = page.items.first, let last = page.items.last else {
            return ImportRows(rows: [], next: nil, previous: nil)
        }
        return ImportRows(
            rows: Array(page.items),
            next: page.hasNext ? ImportCursor(.after, place: last.place) : nil,
            previous: page.hasPrevious ? ImportCursor(.before, place: first.place) : nil)
    }

    /// Some rows of the user's import that can be picked, in the order of the import.
    ///
    /// - Parameter places: At most 100. Places that have no such row are left out.
    public func importRows(userID: UUID, places: [Int]) async throws(PostgresError) -> [ImportRow] {
        try await database.query(ImportQueries.rowsAtPlaces, [.uuid(userID), .ints(places)])
    }
}

package enum ImportQueries {
    package static let gameImport = Columns<GameImport>(
        ["id", "file_name", "state", "row_count", "done_count", "suggested_count", "made_at"]
    ) { row throws(PostgresError) in
        try GameImport(
            id: row.next(), fileName: row.next(), state: row.next(), rowCount: row.next(),
            doneCount: row.next(), suggestedCount: row.next(), madeAt: row.next())
    }

    static let ofUser = Query("import_of_user", .read, gameImport) {
        """
        SELECT \($0) FROM imports
        WHERE user_id = $1 AND made_at > now() - interval '\(GameImport.days) days'
        """
    }

    private static let row: Columns<ImportRow> = {
        let game = Game.columns.optional
        let platform = Platform.columns.optional
        return Columns(
            [
                "r.place", "r.line", "r.name", "r.named_platforms", "r.release_year", "r.score",
                "r.rating", "r.comment", "r.tags", "r.shelf", "r.dated", "r.finding",
                "r.candidates",
            ] + game.expressions + platform.expressions
        ) { row throws(PostgresError) in
            try ImportRow(
                place: row.next(), line: row.next(), name: row.next(), platforms: row.next(),
                releaseYear: row.next(), score: row.next(), rating: row.next(),
                comment: row.next(), tags: row.next(), shelf: row.next(), date: row.next(),
                finding: row.next(), candidates: row.next(), game: row.next(game),
                platform: row.next(platform))
        }
    }()

    /// A row of the file, with its game and other findings.
    private static let stored: Columns<StoredImportRow> = {
        let game = Game.columns.optional
        let platform = Platform.columns.optional
        return Columns(
            [
                "r.line", "r.name", "r.named_id", "r.named_platforms", "r.release_year", "r.score",
                "r.rating", "r.comment", "r.tags", "r.shelf", "r.dated", "r.finding",
            ] + game.expressions + platform.expressions
        ) { row throws(PostgresError) in
            var imported = ImportedRow(line: try row.next())
            imported.name = try row.next()
            imported.gameID = try row.next()
            imported.platforms = try row.next()
            imported.releaseYear = try row.next()
            imported.score = try row.next()
            imported.rating = try row.next()
            let (comment, tags): (String, String) = try (row.next(), row.next())
            imported.comment = (try? Comment(comment)) ?? .empty
            imported.tags = (try? Tags(commaSeparated: tags)) ?? .none
            imported.shelf = try row.next()
            imported.date = try row.next()
            imported.finding = try row.next()
            return try StoredImportRow(
                row: imported, game: row.next(game), platform: row.next(platform))
        }
    }()

    private static func listing<Row>(
        _ name: String, _ row: Columns<Row>, _ choice: String
    ) -> Query<Row> {
        Query(name, .read, row) {
            """
            SELECT \($0)
            FROM (
                \(choice)
            ) r
            LEFT JOIN games g ON g.id = r.game_id
            LEFT JOIN platforms p ON p.id = r.platform_id
            ORDER BY r.place
            """
        }
    }

    /// Leaves out the rows whose games were hidden after they had been found.
    private static let isShown = """
        NOT EXISTS (SELECT FROM games h WHERE h.id = r.game_id AND h.is_hidden)
        """

    private static func page(_ comparison: String, _ order: String) -> String {
        """
        SELECT r.* FROM imports i JOIN import_rows r ON r.import_id = i.id
        WHERE i.user_id = $1 AND r.is_suggested = $2 AND r.place \(comparison) $3 AND \(isShown)
        ORDER BY r.place \(order) LIMIT $4
        """
    }

    static let rows = listing("import_rows", row, page(">", "ASC"))
    static let rowsBefore = listing("import_rows_before", row, page("<", "DESC"))

    static let rowsAtPlaces = listing(
        "import_rows_at_places", row,
        """
        SELECT r.* FROM imports i JOIN import_rows r ON r.import_id = i.id
        WHERE i.user_id = $1 AND r.is_suggested AND r.place = ANY ($2::integer[]) AND \(isShown)
        """)

    static let allRows = listing(
        "all_import_rows", stored,
        "SELECT r.* FROM imports i JOIN import_rows r ON r.import_id = i.id WHERE i.user_id = $1")
}

import FaveGames
import HTTP

/// Imported games, and the part of them that the page shows.
package struct ImportedGames: Sendable {
    let fileName: String
    let state: GameImport.State
    let rowCount: Int
    let doneCount: Int
    let suggestedCount: Int
    let leftOutCount: Int
    let expiresInWords: String
    let showsLeftOut: Bool
    let rows: [ImportedGameRow]
    let pager: Pager?
    /// How many more games the visitor's list has room for.
    let room: Int

    /// - Parameters:
    ///   - list: The visitor's list.
    ///   - next: The cursor of the next page; `nil` on the last.
    package init(
        _ found: GameImport, _ rows: [ImportRow], showsLeftOut: Bool, list: FaveList?,
        next: String?, isFirst: Bool
    ) {
        fileName = found.fileName
        state = found.state
        rowCount = found.rowCount
        doneCount = found.doneCount
        suggestedCount = found.suggestedCount
        leftOutCount = found.leftOutCount
        expiresInWords = found.expiresAt.dayInWords
        self.showsLeftOut = showsLeftOut
        let entries = list?.entries ?? []
        self.rows = rows.map { row in
            ImportedGameRow(
                row,
                isOnList: entries.contains {
                    $0.game.id == row.game?.id
                        && (row.platform == nil || $0.platform.id == row.platform?.id)
                })
        }
        room = FaveList.limit - entries.count
        pager = Pager(
            path: showsLeftOut ? Path.leftOutOfImport : Path.importing, next: next, isFirst: isFirst
        )
    }
}

/// A row of a file from elsewhere.
struct ImportedGameRow: Sendable {
    let place: Int
    let name: String
    let game: Game?
    let isOnList: Bool
    /// What the file says, in short.
    let detail: String
    let comment: String
    let explanation: String?
    /// Where to look for another game; `nil` if there is nothing to look for.
    let searchHref: String?

    fileprivate init(_ row: ImportRow, isOnList: Bool) {
        place = row.place
        game = row.finding.isSuggested ? row.game : nil
        name = game?.name ?? (row.name.isEmpty ? "A game without a name" : row.name)
        self.isOnList = isOnList
        let rating = row.score.isEmpty ? nil : "Rated \(row.score)"
        let platform = row.platform?.shortName ?? (row.platforms.isEmpty ? nil : row.platforms)
        detail = [platform, rating, row.shelf, row.date, "line \(row.line)"]
            .compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " · ")
        comment = row.comment.count > 140 ? row.comment.prefix(140) + "…" : row.comment
        explanation = row.explanation
        switch row.finding {
        case .noGame, .severalGames:
            searchHref = SearchText(row.name).map { Path.search("/games", $0) }
        default: searchHref = nil
        }
    }
}

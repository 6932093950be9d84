import FaveGames
import HTTP
import Languages

/// Imported games, and the part of them that the page shows.
package struct ImportedGames: Sendable {
    let fileName: String
    let state: GameImport.State
    let rowCount: Int
    let doneCount: Int
    let suggestedCount: Int
    let leftOutCount: Int
    let expiresInWords: Day
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
    let name: Words
    let game: Game?
    let isOnList: Bool
    /// What the file says, in short.
    let detail: Words
    let comment: String
    let explanation: Words?
    /// Where to look for another game; `nil` if there is nothing to look for.
    let searchHref: String?

    fileprivate init(_ row: ImportRow, isOnList: Bool) {
        place = row.place
        game = row.finding.isSuggested ? row.game : nil
        name =
            game.map { Words($0.name) }
            ?? (row.name.isEmpty ? .namelessGame : Words(name: row.name))
        self.isOnList = isOnList
        func named(_ text: String) -> Words? { text.isEmpty ? nil : Words(name: text) }
        detail = .facts(
            [
                named(row.platform?.shortName ?? row.platforms),
                row.score.isEmpty ? nil : .rated(row.score), named(row.shelf), named(row.date),
                .line(row.line),
            ].compactMap(\.self))
        comment = row.comment.count > 140 ? row.comment.prefix(140) + "…" : row.comment
        explanation = row.explanation
        switch row.finding {
        case .noGame, .severalGames:
            searchHref = SearchText(row.name).map { Path.search("/games", $0) }
        default: searchHref = nil
        }
    }
}

extension ImportRow {
    /// What people should know about the row, as a sentence, if anything.
    fileprivate var explanation: Words? {
        switch finding {
        case .found: nil
        // More aren't counted.
        case .severalGames: candidates == 20 ? .manyGamesOfName : .gamesOfName(candidates)
        case .unknownPlatform: .unknownPlatformOfRow(platforms)
        case .notOnPlatform: .notOnPlatformOfRow(platforms)
        case .duplicate: .duplicateRow
        case .noGame: .noMatch
        case .noName: .rowWithoutName
        case .malformed: .malformedRow
        }
    }
}

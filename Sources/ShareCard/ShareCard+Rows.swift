import FaveGames

// Two entries, one below the other.
extension ShareCard {
    func drawRows(in body: Box, on canvas: Canvas) throws(CardError) {
        let gap = 20.0
        var row = body
        row.height = (body.height - gap) / 2
        for entry in entries {
            try draw(entry, inRow: row, on: canvas)
            row.y += row.height + gap
        }
    }

    private static let rowStyle = EntryWords.Style(
        title: [34, 30, 27, 24, 21], titleLines: 2, meta: 20, why: [26, 24, 22, 20])

    private func draw(
        _ entry: Entry, inRow row: Box, on canvas: Canvas
    ) throws(CardError) {
        let isFirst = entry.rank == entries[0].rank
        Self.drawPlate(in: row, isGold: isFirst, on: canvas)
        let rank = try TextBlock(
            "\(entry.rank)", Font(size: row.height * 0.3, weight: .extraBold),
            on: canvas)
        rank.draw(centredAt: row.x + 54, row.middle, isFirst ? Palette.gold : Palette.soft)
        let padding = 16.0
        let height = row.height - 2 * padding
        let cover = Box(
            x: row.x + 104, y: row.y + padding, width: height * 3 / 4, height: height)
        try Self.drawCover(of: entry, in: cover, on: canvas)
        let left = cover.maxX + 30
        let room = Box(
            x: left, y: row.y + 12, width: row.maxX - 28 - left, height: row.height - 24)
        // Next to a why, the title leaves it more room.
        let largest = entry.why.isEmpty ? 1.9 : 1.6
        let style = Self.rowStyle.scaled(by: min(max(row.height / 168, 1), largest))
        let words = try EntryWords(entry, style, in: room, on: canvas)
        try words.draw(x: left, y: room.middle - words.height / 2, on: canvas)
    }
}

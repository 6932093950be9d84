import FaveGames

// The formats that are taller than wide: all places one below the other, with the whys.
extension ShareCard {
    private static let margin = 64.0

    /// Apps put their own controls over the top and the bottom of a story.
    private var inset: Double { format == .story ? 210 : 52 }

    func drawTall(on canvas: Canvas) throws(CardError) {
        let width = Double(format.width) - 2 * Self.margin
        let head = Box(x: Self.margin, y: inset, width: width, height: 112)
        try drawTallHead(in: head, on: canvas)
        let foot = Box(
            x: Self.margin, y: Double(format.height) - inset - 96, width: width, height: 96)
        try drawTallFoot(in: foot, on: canvas)
        let top = head.maxY + 36
        let body = Box(x: Self.margin, y: top, width: width, height: foot.y - 34 - top)
        switch entries.count {
        case 0: try drawEmptyList(in: body, on: canvas)
        case 1: try drawOnly(entries[0], in: body, on: canvas)
        default: try drawRows(in: body, on: canvas)
        }
    }

    private func drawTallHead(in box: Box, on canvas: Canvas) throws(CardError) {
        let picture = Box(x: box.x, y: box.y, width: box.height, height: box.height)
        try drawAvatar(in: picture, on: canvas)
        let left = picture.maxX + 30
        let eyebrow = try TextBlock(
            eyebrow, Font(size: 30, weight: .medium), width: box.maxX - left, on: canvas)
        eyebrow.draw(x: left, y: box.y, Palette.soft)
        let room = Box(x: left, y: box.y + 36, width: box.maxX - left, height: 80)
        let text = try TextBlock.largest(
            [62, 52, 44], name, weight: .extraBold, lines: 1, in: room, on: canvas)
        try Self.draw(text, in: room, on: canvas)
    }

    /// Draws the question and the site's name, and the address below.
    private func drawTallFoot(in box: Box, on canvas: Canvas) throws(CardError) {
        let question = try TextBlock(
            Self.invitation, Font(size: 38, weight: .extraBold), on: canvas)
        question.draw(x: box.x, y: box.y, accent)
        _ = try drawBrand(until: box.maxX, y: box.y + 5, on: canvas)
        let room = Box(x: box.x, y: box.maxY - 48, width: box.width, height: 48)
        try drawAddress(sizes: [38, 33, 28, 24, 20, 17], in: room, on: canvas)
    }

    /// Draws the only entry on a plate that is as high as it needs.
    private func drawOnly(_ entry: Entry, in body: Box, on canvas: Canvas) throws(CardError) {
        let padding = 48.0
        let panel = try EntryPanel(
            entry, isGold: true, in: body.inset(by: padding), on: canvas)
        var plate = body
        plate.height = panel.height + 2 * padding
        plate.y = body.middle - plate.height / 2
        Self.drawPlate(in: plate, isGold: true, on: canvas)
        try panel.draw(in: plate.inset(by: padding), on: canvas)
    }

    // MARK: Rows

    /// Draws all entries one below the other, each with its why. If there are many, the first is
    /// higher than the others.
    func drawRows(in body: Box, on canvas: Canvas) throws(CardError) {
        let gap = entries.count > 3 ? 16.0 : 20
        let first = entries.count > 3 ? 1.7 : 1
        let room = body.height - Double(entries.count - 1) * gap
        let unit = room / (Double(entries.count - 1) + first)
        let heights = entries.indices.map { min($0 == 0 ? unit * first : unit, 440) }
        var row = body
        row.y += (room - heights.reduce(0, +)) / 2
        for (entry, height) in zip(entries, heights) {
            row.height = height
            try draw(entry, inRow: row, on: canvas)
            row.y += height + gap
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
            "\(entry.rank)", Font(size: min(max(row.height * 0.3, 52), 84), weight: .extraBold),
            on: canvas)
        rank.draw(centredAt: row.x + 54, row.middle, isFirst ? Palette.gold : Palette.soft)
        let padding = row.height < 220 ? 16.0 : 26
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

import FaveGames
import Languages
import Views

// The format of link previews.
extension ShareCard {
    private static let margin = 56.0
    private static let right = Double(Format.wide.width) - margin

    /// The area between the head and the foot.
    static let body = Box(x: margin, y: 146, width: right - margin, height: 396)

    /// The width of number one, if there are more than two.
    static let firstWidth = 548.0

    func drawWide(on canvas: Canvas) throws(CardError) {
        let brand = try drawBrand(until: Self.right, y: 44, on: canvas)
        try drawHead(until: brand - 40, on: canvas)
        try drawWideFoot(on: canvas)
        let body = Self.body
        switch entries.count {
        case 0: try drawEmptyList(in: body, on: canvas)
        case 1: try drawPanel(entries[0], in: body, on: canvas)
        case 2: try drawRows(in: body, on: canvas)
        default:
            var first = body
            first.width = Self.firstWidth
            try drawPanel(entries[0], in: first, on: canvas)
            var rest = body
            rest.x = first.maxX + 28
            rest.width = body.maxX - rest.x
            try drawRest(entries.dropFirst(), in: rest, on: canvas)
        }
    }

    private func drawHead(until end: Double, on canvas: Canvas) throws(CardError) {
        let picture = Box(x: Self.margin, y: 38, width: 84, height: 84)
        try drawAvatar(in: picture, on: canvas)
        let left = picture.maxX + 24
        let eyebrow = try TextBlock(
            eyebrow, Font(size: 24, weight: .medium), width: end - left, on: canvas)
        eyebrow.draw(x: left, y: 38, Palette.soft)
        let room = Box(x: left, y: 64, width: end - left, height: 68)
        let text = try TextBlock.largest(
            [50, 42, 36], name, weight: .extraBold, lines: 1, in: room, on: canvas)
        try Self.draw(text, in: room, on: canvas)
    }

    /// Draws the address on the left, and the question on the right.
    func drawWideFoot(on canvas: Canvas) throws(CardError) {
        let box = Box(x: Self.margin, y: 562, width: Self.right - Self.margin, height: 46)
        let question = try TextBlock(
            Words.cardInvitation.string(in: language), Font(size: 26, weight: .bold), on: canvas)
        question.draw(
            x: box.maxX - question.size.width, y: box.middle - question.size.height / 2,
            accent)
        var room = box
        room.width -= question.size.width + 40
        try drawAddress(sizes: [32, 28, 24, 20, 17], in: room, on: canvas)
    }

    private func drawPanel(
        _ entry: Entry, in box: Box, on canvas: Canvas
    ) throws(CardError) {
        Self.drawPlate(in: box, isGold: true, on: canvas)
        let room = box.inset(by: 28)
        try EntryPanel(entry, isGold: true, in: room, on: canvas).draw(in: room, on: canvas)
    }

    private func drawRest(
        _ entries: ArraySlice<Entry>, in box: Box, on canvas: Canvas
    ) throws(CardError) {
        var row = box
        row.height = box.height / Double(entries.count)
        // Fewer entries are drawn larger.
        let scale = min(row.height / (box.height / 4), 1.5)
        for (index, entry) in entries.enumerated() {
            if index > 0 {
                canvas.fill(
                    Box(x: row.x, y: row.y.rounded(), width: row.width, height: 2),
                    .color(Palette.line))
            }
            try draw(entry, in: row, scale: scale, on: canvas)
            row.y += row.height
        }
    }

    private static let restStyle = EntryWords.Style(
        title: [27, 24, 22], titleLines: 3, meta: 18, why: [])

    private func draw(
        _ entry: Entry, in row: Box, scale: Double, on canvas: Canvas
    ) throws(CardError) {
        let rank = try TextBlock(
            "\(entry.rank)", Font(size: 34 * scale, weight: .extraBold), on: canvas)
        rank.draw(centredAt: row.x + 24 * scale, row.middle, Palette.soft)
        let height = min(row.height - 18, 150)
        let cover = Box(
            x: row.x + 54 * scale, y: row.middle - height / 2, width: height * 3 / 4,
            height: height)
        try Self.drawCover(of: entry, in: cover, on: canvas)
        let left = cover.maxX + 22
        let room = Box(x: left, y: row.y + 6, width: row.maxX - left, height: row.height - 12)
        let words = try EntryWords(
            entry, Self.restStyle.scaled(by: scale), in: room, on: canvas)
        try words.draw(x: left, y: room.middle - words.height / 2, on: canvas)
    }
}

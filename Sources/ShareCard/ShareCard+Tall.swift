import FaveGames

// The formats that are taller than wide: all places one below the other, with the whys.
extension ShareCard {
    private static let margin = 64.0

    /// Apps put their own controls over the top and the bottom of a story.
    private var inset: Double { format == .story ? 210 : 56 }

    func drawTall(on canvas: Canvas) throws(CardError) {
        let width = Double(format.width) - 2 * Self.margin
        let head = Box(x: Self.margin, y: inset, width: width, height: 124)
        try drawTallHead(in: head, on: canvas)
        let foot = Box(
            x: Self.margin, y: Double(format.height) - inset - 96, width: width, height: 96)
        try drawFoot(in: foot, on: canvas)
        var body = Box(x: Self.margin, y: head.maxY + 44, width: width, height: 0)
        body.height = foot.y - 36 - body.y
        guard !entries.isEmpty else {
            body.y = body.middle - 210
            return try drawEmptyPlaces(in: body, on: canvas)
        }
        try drawRows(in: body, on: canvas)
    }

    private func drawTallHead(in box: Box, on canvas: Canvas) throws(CardError) {
        let picture = Box(x: box.x, y: box.y, width: box.height, height: box.height)
        try drawAvatar(in: picture, on: canvas)
        let left = picture.maxX + 32
        let eyebrow = try TextBlock(
            eyebrow, Font(size: 32, weight: .medium), width: box.maxX - left, on: canvas)
        eyebrow.draw(x: left, y: box.y + 2, Palette.soft)
        let room = Box(x: left, y: box.y + 42, width: box.maxX - left, height: 84)
        let text = try Self.largest(
            [66, 54, 44], name, weight: .extraBold, in: room, on: canvas)
        try Self.draw(text, in: room, on: canvas)
    }

    private func drawFoot(in box: Box, on canvas: Canvas) throws(CardError) {
        let invitation = try TextBlock(
            Self.invitation, Font(size: 40, weight: .extraBold), on: canvas)
        invitation.draw(centredAt: box.x + box.width / 2, box.y + 20, Palette.accent)
        var box = box
        box.y = box.maxY - 40
        box.height = 40
        Self.drawHeart(in: Box(x: box.x, y: box.y + 3, width: 42, height: 36), on: canvas)
        let brand = try TextBlock("Fave Games", Font(size: 34, weight: .extraBold), on: canvas)
        brand.draw(x: box.x + 58, y: box.middle - brand.size.height / 2, Palette.ink)
        let handle = try TextBlock(handle, Font(size: 32, weight: .medium), on: canvas)
        handle.draw(
            x: box.maxX - handle.size.width, y: box.middle - handle.size.height / 2, Palette.soft)
    }

    private func drawRows(in body: Box, on canvas: Canvas) throws(CardError) {
        let count = Double(entries.count)
        let gap = 20.0
        let height = min((body.height - (count - 1) * gap) / count, 320)
        let used = count * height + (count - 1) * gap
        var row = Box(
            x: body.x, y: body.y + (body.height - used) / 2, width: body.width, height: height)
        for entry in entries {
            try draw(entry, inTall: row, on: canvas)
            row.y += height + gap
        }
    }

    private func draw(
        _ entry: Entry, inTall row: Box, on canvas: Canvas
    ) throws(CardError) {
        let isFirst = entry.rank == entries[0].rank
        Self.drawPlate(in: row, isGold: isFirst, on: canvas)
        let rank = try TextBlock("\(entry.rank)", Font(size: 72, weight: .extraBold), on: canvas)
        rank.draw(centredAt: row.x + 56, row.middle, isFirst ? Palette.gold : Palette.soft)
        let height = row.height - 40
        let cover = Box(
            x: row.x + 108, y: row.y + 20, width: height * 3 / 4, height: height)
        try Self.drawCover(of: entry, in: cover, on: canvas)
        let left = cover.maxX + 32
        let room = Box(
            x: left, y: row.y + 8, width: row.maxX - 28 - left, height: row.height - 16)
        guard !entry.why.isEmpty else {
            return try Self.drawWords(
                of: entry, in: room, sizes: [40, 34], lines: 2, metaSize: 26, on: canvas)
        }
        let isRoomy = row.height > 220
        let why = try TextBlock(
            entry.why, Font(size: isRoomy ? 28 : 24, weight: .regular, isSerif: true),
            width: room.width, lines: isRoomy ? 3 : 2, on: canvas)
        let gap = 8.0
        // The three lines together are in the middle of the row.
        let (sizes, lines, metaSize) = isRoomy ? ([40.0, 34], 2, 26.0) : ([34, 30], 1, 22)
        var words = room
        words.height -= why.size.height + gap
        words.height = min(
            words.height,
            try Self.wordsHeight(
                of: entry, in: words, sizes: sizes, lines: lines, metaSize: metaSize, on: canvas))
        words.y = room.middle - (words.height + gap + why.size.height) / 2
        try Self.drawWords(
            of: entry, in: words, sizes: sizes, lines: lines, metaSize: metaSize, on: canvas)
        try canvas.clipped(to: room) {
            why.draw(x: words.x, y: words.maxY + gap, Palette.ink)
        }
    }
}

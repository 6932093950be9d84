import FaveGames

extension ShareCard {
    /// Draws the card as a PNG, which takes some tens of milliseconds. Any thread may call this; cards
    /// are drawn one after the other.
    ///
    /// - Parameter covers: JPEGs by the covers' ids. Without one, its placeholder is drawn.
    public func png(covers: [String: [UInt8]] = [:]) throws(CardError) -> [UInt8] {
        let pictures = covers.compactMapValues(CoverPicture.init)
        return try Canvas.draw(width: format.width, height: format.height) {
            canvas throws(CardError) in
            canvas.covers = pictures
            canvas.fill(
                Box(x: 0, y: 0, width: Double(format.width), height: Double(format.height)),
                .color(Palette.background))
            if format == .wide { try drawWide(on: canvas) } else { try drawTall(on: canvas) }
            return try canvas.png()
        }
    }

    private func drawWide(on canvas: Canvas) throws(CardError) {
        let brand = try drawBrand(on: canvas)
        try drawHead(until: brand - 40, on: canvas)
        let body = Self.body
        switch entries.count {
        case 0: try drawEmptyPlaces(in: body, on: canvas)
        case 1: try drawWideFirst(entries[0], in: body, on: canvas)
        case 2:
            var place = body
            place.width = (body.width - 28) / 2
            try drawPlace(entries[0], in: place, on: canvas)
            place.x = place.maxX + 28
            try drawPlace(entries[1], in: place, on: canvas)
        default:
            var first = body
            first.width = 500
            try drawPlace(entries[0], in: first, on: canvas)
            var rest = body
            rest.x = first.maxX + 28
            rest.width = body.maxX - rest.x
            try drawRest(entries.dropFirst(), in: rest, on: canvas)
        }
    }

    private static let margin = 56.0
    private static let right = Double(Format.wide.width) - margin

    /// The area below the person's name.
    static let body = Box(x: margin, y: 166, width: right - margin, height: 420)

    // MARK: Head

    /// - Returns: Where the brand begins, from the left.
    private func drawBrand(on canvas: Canvas) throws(CardError) -> Double {
        let name = try TextBlock("Fave Games", Font(size: 30, weight: .extraBold), on: canvas)
        let left = Self.right - name.size.width
        name.draw(x: left, y: 44, Palette.ink)
        let heart = Box(x: left - 49, y: 47, width: 35, height: 30)
        Self.drawHeart(in: heart, on: canvas)

        let handle = try Self.largest(
            [24, 20], handle, weight: .medium,
            in: Box(x: 0, y: 92, width: 360, height: 40), on: canvas)
        let handleLeft = Self.right - handle.size.width
        handle.draw(x: handleLeft, y: 88, Palette.soft)
        let invitation = try TextBlock(
            Self.invitation, Font(size: 22, weight: .bold), on: canvas)
        let invitationLeft = Self.right - invitation.size.width
        invitation.draw(
            x: invitationLeft, y: self.handle.isEmpty ? 92 : 122, Palette.accent)
        return min(heart.x, handleLeft, invitationLeft)
    }

    static let invitation = "What are your five?"

    /// The site's heart, seven by six pixels.
    static func drawHeart(in box: Box, on canvas: Canvas) {
        let pixel = box.width / 7
        func row(_ y: Int, _ x: Int, _ count: Int) -> Box {
            Box(
                x: box.x + Double(x) * pixel, y: box.y + Double(y) * pixel,
                width: Double(count) * pixel, height: pixel)
        }
        let rows = [
            row(0, 1, 2), row(0, 4, 2), row(1, 0, 7), row(2, 0, 7), row(3, 1, 5), row(4, 2, 3),
            row(5, 3, 1),
        ]
        canvas.fillPixels(rows, Palette.accent)
        canvas.fillPixels([row(1, 1, 1)], Palette.card)
    }

    private func drawHead(until end: Double, on canvas: Canvas) throws(CardError) {
        let picture = Box(x: Self.margin, y: 38, width: 96, height: 96)
        try drawAvatar(in: picture, on: canvas)
        let left = picture.maxX + 24
        let eyebrow = try TextBlock(
            eyebrow, Font(size: 24, weight: .medium), width: end - left, on: canvas)
        eyebrow.draw(x: left, y: 38, Palette.soft)
        let room = Box(x: left, y: 66, width: end - left, height: 80)
        let text = try Self.largest([54, 44, 36], name, weight: .extraBold, in: room, on: canvas)
        try Self.draw(text, in: room, on: canvas)
    }

    func drawAvatar(in picture: Box, on canvas: Canvas) throws(CardError) {
        try canvas.clipped(to: picture, radius: picture.width / 2) { () throws(CardError) in
            let (first, last) = Palette.hues[avatar.hue]
            canvas.fill(picture, .gradient(first, last, angle: 160))
            let unit = picture.width / 40
            canvas.fillCircle(
                x: picture.x + 34 * unit, y: picture.y + 6 * unit, radius: 18 * unit,
                .color(Palette.card, alpha: 0.09))
            let letters = try TextBlock(
                avatar.initials, Font(size: picture.width * 0.375, weight: .extraBold), on: canvas)
            letters.draw(centredAt: picture.x + picture.width / 2, picture.middle, Palette.card)
        }
    }

    // MARK: Entries

    func drawEmptyPlaces(in body: Box, on canvas: Canvas) throws(CardError) {
        let (width, height, gap) = (156.0, 208.0, 28.0)
        var place = Box(
            x: body.x + (body.width - 5 * width - 4 * gap) / 2, y: body.y + 60, width: width,
            height: height)
        for number in 1...5 {
            canvas.stroke(place, radius: 14, Palette.edge, width: 3, dashes: [9, 8])
            let text = try TextBlock("\(number)", Font(size: 48, weight: .extraBold), on: canvas)
            text.draw(centredAt: place.x + width / 2, place.middle, Palette.soft)
            place.x += width + gap
        }
        let text = try TextBlock(
            "Still choosing", Font(size: 44, weight: .extraBold), on: canvas)
        text.draw(centredAt: body.x + body.width / 2, place.maxY + 72, Palette.ink)
    }

    private func drawWideFirst(
        _ entry: Entry, in box: Box, on canvas: Canvas
    ) throws(CardError) {
        Self.drawPlate(in: box, isGold: true, on: canvas)
        let rank = try TextBlock("\(entry.rank)", Font(size: 128, weight: .extraBold), on: canvas)
        rank.draw(centredAt: box.x + 92, box.middle, Palette.gold)
        let cover = Box(x: box.x + 172, y: box.y + 40, width: 255, height: 340)
        try Self.drawCover(of: entry, in: cover, on: canvas)
        let left = cover.maxX + 48
        try Self.drawWords(
            of: entry, in: Box(x: left, y: box.y + 24, width: box.maxX - 48 - left, height: 372),
            sizes: [64, 52, 44], lines: 3, metaSize: 30, on: canvas)
    }

    private func drawPlace(_ entry: Entry, in box: Box, on canvas: Canvas) throws(CardError) {
        let isFirst = entry.rank == entries[0].rank
        Self.drawPlate(in: box, isGold: isFirst, on: canvas)
        let cover = Box(x: box.x + 32, y: box.y + 32, width: 150, height: 200)
        try Self.drawCover(of: entry, in: cover, on: canvas)
        let rank = try TextBlock("\(entry.rank)", Font(size: 168, weight: .extraBold), on: canvas)
        rank.draw(
            centredAt: (cover.maxX + box.maxX) / 2, cover.middle,
            isFirst ? Palette.gold : Palette.soft)
        try Self.drawWords(
            of: entry,
            in: Box(
                x: cover.x, y: cover.maxY + 12, width: box.width - 64,
                height: box.maxY - 18 - cover.maxY - 12),
            sizes: [42, 36], lines: 2, metaSize: 24, on: canvas)
    }

    private func drawRest(
        _ entries: ArraySlice<Entry>, in box: Box, on canvas: Canvas
    ) throws(CardError) {
        let count = Double(entries.count)
        let height = min(box.height / count, 196)
        // Fewer entries are drawn larger.
        let scale = min(height / (box.height / 4), 1.5)
        var row = Box(
            x: box.x, y: box.y + (box.height - count * height) / 2, width: box.width,
            height: height)
        for entry in entries {
            if entry.rank != entries.first?.rank {
                canvas.fill(
                    Box(x: row.x, y: row.y.rounded(), width: row.width, height: 2),
                    .color(Palette.line))
            }
            try draw(entry, in: row, scale: scale, on: canvas)
            row.y += height
        }
    }

    private func draw(
        _ entry: Entry, in row: Box, scale: Double, on canvas: Canvas
    ) throws(CardError) {
        let rank = try TextBlock(
            "\(entry.rank)", Font(size: 36 * scale, weight: .extraBold), on: canvas)
        rank.draw(centredAt: row.x + 24 * scale, row.middle, Palette.soft)
        let height = min(row.height - 22, 132)
        let cover = Box(
            x: row.x + 56 * scale, y: row.middle - height / 2, width: height * 3 / 4,
            height: height)
        try Self.drawCover(of: entry, in: cover, on: canvas)
        let left = cover.maxX + 22
        try Self.drawWords(
            of: entry,
            in: Box(x: left, y: row.y + 6, width: row.maxX - left, height: row.height - 12),
            sizes: [28 * scale, 24 * scale], lines: scale > 1.3 ? 3 : 2,
            metaSize: min(20 * scale, 21), on: canvas)
    }

    // MARK: Parts

    static func drawPlate(in box: Box, isGold: Bool, on canvas: Canvas) {
        for step in 1...10 {
            let reach = Double(step) * 1.6
            canvas.fill(
                Box(
                    x: box.x - reach + 4, y: box.y - reach + 10, width: box.width + 2 * reach - 8,
                    height: box.height + 2 * reach - 8), radius: 24 + reach,
                .color(Palette.ink, alpha: 0.009))
        }
        canvas.fill(
            box, radius: 24,
            isGold
                ? .gradient(Palette.goldWash, Palette.card, angle: 140, end: 0.65)
                : .color(Palette.card))
        canvas.stroke(box, radius: 24, isGold ? Palette.goldLine : Palette.line, width: 2)
    }

    /// Draws a cover, or its placeholder as the partial `placeholder` in `Views` does.
    static func drawCover(
        of entry: Entry, in box: Box, on canvas: Canvas
    ) throws(CardError) {
        let unit = box.width / 60
        let cover = entry.placeholder
        if let picture = entry.coverID.flatMap({ canvas.covers[$0] }) {
            return try canvas.clipped(to: box, radius: max(6, 3 * unit)) {
                picture.draw(in: box, on: canvas)
            }
        }
        try canvas.clipped(to: box, radius: max(6, 3 * unit)) { () throws(CardError) in
            let (first, last) = Palette.hues[cover.hue]
            canvas.fill(box, .gradient(first, last, angle: 160))
            for (x, y, radius) in [(52.0, 10.0, 30.0), (4, 74, 22)] {
                canvas.fillCircle(
                    x: box.x + x * unit, y: box.y + y * unit, radius: radius * unit,
                    .color(Palette.card, alpha: 0.09))
            }
            let letters = try TextBlock(
                cover.initials, Font(size: 21 * unit, weight: .extraBold), on: canvas)
            letters.draw(centredAt: box.x + box.width / 2, box.middle, Palette.card)
        }
    }

    /// Draws the title, with the platform and the year below it, in the middle of the box's height.
    static func drawWords(
        of entry: Entry, in box: Box, sizes: [Double], lines: Int, metaSize: Double,
        on canvas: Canvas
    ) throws(CardError) {
        let (gap, metaHeight) = measures(metaSize)
        var room = box
        room.height -= metaHeight + gap
        let title = try largest(
            sizes, entry.title, weight: .bold, lines: lines, in: room, on: canvas)
        let height = min(title.size.height, room.height)
        room.y = box.middle - (height + gap + metaHeight) / 2
        room.height = height
        try draw(title, in: room, on: canvas)
        try drawMeta(
            of: entry,
            in: Box(x: box.x, y: room.maxY + gap, width: box.width, height: metaHeight),
            size: metaSize, on: canvas)
    }

    /// The height that `drawWords` needs, if the box is high enough.
    static func wordsHeight(
        of entry: Entry, in box: Box, sizes: [Double], lines: Int, metaSize: Double,
        on canvas: Canvas
    ) throws(CardError) -> Double {
        let (gap, metaHeight) = measures(metaSize)
        var room = box
        room.height -= metaHeight + gap
        let title = try largest(
            sizes, entry.title, weight: .bold, lines: lines, in: room, on: canvas)
        return title.size.height + gap + metaHeight
    }

    /// - Returns: The space above the line with the platform, and the line's height.
    private static func measures(_ metaSize: Double) -> (gap: Double, height: Double) {
        (metaSize * 0.35, metaSize * 1.45)
    }

    private static func drawMeta(
        of entry: Entry, in box: Box, size: Double, on canvas: Canvas
    ) throws(CardError) {
        let year = try TextBlock(
            entry.year.map { String($0) } ?? "", Font(size: size, weight: .medium), on: canvas)
        let padding = size * 0.5
        let platform = try TextBlock(
            entry.note, Font(size: size, weight: .semibold),
            width: box.width - 2 * padding - year.size.width - padding, on: canvas)
        var chip = box
        chip.width = platform.size.width + 2 * padding
        canvas.fill(chip, radius: size * 0.35, .color(Palette.sunk))
        try draw(
            platform,
            in: Box(
                x: box.x + padding, y: box.y - 3, width: platform.size.width,
                height: box.height + 6),
            on: canvas)
        year.draw(
            x: chip.maxX + padding, y: box.middle - year.size.height / 2, Palette.soft)
    }

    /// The text in the first size that fits all of it, or else in the last size.
    static func largest(
        _ sizes: [Double], _ text: String, weight: Font.Weight, lines: Int = 1, in room: Box,
        on canvas: Canvas
    ) throws(CardError) -> TextBlock {
        var block = try TextBlock(
            text, Font(size: sizes[0], weight: weight), width: room.width, lines: lines, on: canvas)
        for size in sizes.dropFirst() where !block.isWhole || block.size.height > room.height {
            block = try TextBlock(
                text, Font(size: size, weight: weight), width: room.width, lines: lines, on: canvas)
        }
        return block
    }

    /// Draws text in the middle of the room's height, and clips what is outside.
    static func draw(
        _ text: TextBlock, in room: Box, on canvas: Canvas
    ) throws(CardError) {
        var slack = room
        slack.x -= 8
        slack.width += 16
        try canvas.clipped(to: slack) { () throws(CardError) in
            text.draw(
                x: room.x, y: max(room.y, room.middle - text.size.height / 2), Palette.ink)
        }
    }
}

import FaveGames
import Languages
import Views

extension ShareCard {
    /// Draws the card in its format's encoding, which takes some tens of milliseconds. Any thread may
    /// call this; cards are drawn one after the other.
    ///
    /// - Parameter covers: JPEGs by the covers' ids. Without one, its placeholder is drawn.
    public func data(covers: [String: [UInt8]] = [:]) throws(CardError) -> [UInt8] {
        try drawn(covers: covers) { canvas throws(CardError) in
            switch format.encoding {
            case .png: try canvas.png()
            case .jpeg: try canvas.jpeg()
            }
        }
    }

    /// Draws the card, and runs `body` with the finished picture.
    func drawn<Result>(
        covers: [String: [UInt8]], _ body: (Canvas) throws(CardError) -> sending Result
    ) throws(CardError) -> sending Result {
        let pictures = covers.compactMapValues(CoverPicture.init)
        return try Canvas.draw(width: format.width, height: format.height) {
            canvas throws(CardError) in
            canvas.covers = pictures
            canvas.language = language
            switch (layout, format) {
            case (.headline, _):
                fillBackground(of: canvas)
                try drawHeadline(on: canvas)
            case (.ranked, .wide):
                fillBackground(of: canvas)
                try drawWide(on: canvas)
            case (.ranked, _): try composition(on: canvas).draw(self, on: canvas)
            }
            return try body(canvas)
        }
    }

    private func fillBackground(of canvas: Canvas) {
        canvas.fill(
            Box(x: 0, y: 0, width: Double(format.width), height: Double(format.height)),
            .color(Palette.background))
    }

    // MARK: Head and foot

    /// Draws the site's name, which ends at a point on the right.
    ///
    /// - Returns: Where it begins, from the left.
    func drawBrand(until right: Double, y: Double, on canvas: Canvas) throws(CardError) -> Double {
        let name = try TextBlock.largest(
            [30, 26, 22], brand, weight: .extraBold, lines: 1,
            in: Box(x: 0, y: 0, width: 420, height: 60), on: canvas)
        let left = right - name.size.width
        // In the middle of the heart's height, if it is small.
        name.draw(x: left, y: y + max(0, 36 - name.size.height) / 2, Palette.ink)
        let heart = Box(x: left - 49, y: y + 3, width: 35, height: 30)
        Self.drawHeart(in: heart, accent, shine: Palette.card, on: canvas)
        return heart.x
    }

    /// The site's heart, seven by six pixels.
    static func drawHeart(in box: Box, _ color: Color, shine: Color, on canvas: Canvas) {
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
        canvas.fillPixels(rows, color)
        canvas.fillPixels([row(1, 1, 1)], shine)
    }

    func drawAvatar(in picture: Box, on canvas: Canvas) throws(CardError) {
        guard let avatar else { return }
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

    /// Draws the address in one line, as large as it can be.
    func drawAddress(sizes: [Double], in box: Box, on canvas: Canvas) throws(CardError) {
        let text = try TextBlock.largest(
            sizes, address, weight: .bold, lines: 1, in: box, on: canvas)
        try Self.draw(text, in: box, on: canvas)
    }

    // MARK: Parts

    /// Draws a row of five places: covers, and a number in each place without one.
    func drawPlaces(in row: Box, on canvas: Canvas) throws(CardError) {
        let width = row.height * 3 / 4
        var place = Box(x: row.x, y: row.y, width: width, height: row.height)
        for number in 1...FaveList.limit {
            if entries.indices.contains(number - 1) {
                try Self.drawCover(of: entries[number - 1], in: place, on: canvas)
            } else {
                canvas.stroke(place, radius: 14, Palette.edge, width: 3, dashes: [9, 8])
                let text = try TextBlock(
                    "\(number)", Font(size: 48, weight: .extraBold), on: canvas)
                text.draw(centredAt: place.x + width / 2, place.middle, Palette.soft)
            }
            place.x += (row.width - width) / Double(FaveList.limit - 1)
        }
    }

    func drawEmptyList(in body: Box, on canvas: Canvas) throws(CardError) {
        let row = Box(
            x: body.x + body.width / 2 - 446, y: body.middle - 150, width: 892, height: 208)
        try drawPlaces(in: row, on: canvas)
        let text = try TextBlock(
            Words.cardStillChoosing.string(in: language), Font(size: 44, weight: .extraBold),
            on: canvas)
        text.draw(centredAt: body.x + body.width / 2, row.maxY + 64, Palette.ink)
    }

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
        of entry: Entry, in box: Box, radius: Double? = nil, on canvas: Canvas
    ) throws(CardError) {
        let unit = box.width / 60
        let radius = radius ?? max(6, 3 * unit)
        let cover = entry.placeholder
        if let picture = canvas.cover(of: entry) {
            return try canvas.clipped(to: box, radius: radius) {
                picture.draw(in: box, on: canvas)
            }
        }
        try canvas.clipped(to: box, radius: radius) { () throws(CardError) in
            let (first, last) = Palette.hues[cover.hue]
            canvas.fill(box, .gradient(first, last, angle: 160))
            for (x, y, radius) in [(52.0, 10.0, 30.0), (4, 74, 22)] {
                canvas.fillCircle(
                    x: box.x + x * unit, y: box.y + y * unit, radius: radius * unit,
                    .color(Palette.card, alpha: 0.09))
            }
            // Three letters of some scripts are as wide as the cover.
            let letters = try TextBlock.largest(
                [21 * unit, 17 * unit, 13 * unit], cover.initials, weight: .extraBold, lines: 1,
                in: box.inset(by: 4 * unit), on: canvas)
            letters.draw(centredAt: box.x + box.width / 2, box.middle, Palette.card)
        }
    }

    /// Draws text in the middle of the room's height, and clips what is outside.
    static func draw(
        _ text: TextBlock, in room: Box, _ color: Color = Palette.ink, on canvas: Canvas
    ) throws(CardError) {
        var slack = room
        slack.x -= 8
        slack.width += 16
        try canvas.clipped(to: slack) { () throws(CardError) in
            text.draw(
                x: room.x, y: max(room.y, room.middle - text.size.height / 2), color)
        }
    }
}

extension Canvas {
    /// The entry's cover, if there is one to draw.
    func cover(of entry: ShareCard.Entry) -> CoverPicture? { entry.coverID.flatMap { covers[$0] } }
}

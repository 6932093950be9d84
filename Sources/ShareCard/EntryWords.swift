/// The words of an entry, one below the other: its title, the platform with the year, and why the
/// game is loved. Only the thread of its canvas may use it.
struct EntryWords {
    /// How large the words are. The first sizes are preferred.
    struct Style {
        let title: [Double]
        let titleLines: Int
        /// The size of the platform and the year.
        let meta: Double
        let why: [Double]

        func scaled(by scale: Double) -> Style {
            Style(
                title: title.map { $0 * scale }, titleLines: titleLines,
                meta: meta * min(scale, 1.5), why: why.map { $0 * scale })
        }
    }

    private let entry: ShareCard.Entry
    private let style: Style
    private let width: Double
    private let title: TextBlock
    private let titleHeight: Double
    private let why: TextBlock?

    private var gap: Double { style.meta * 0.35 }
    private var metaHeight: Double { style.meta * 1.45 }
    private var whyGap: Double { style.meta * 0.55 }

    /// At most the height of the room that the words were made for.
    var height: Double {
        titleHeight + gap + metaHeight + (why.map { whyGap + $0.size.height } ?? 0)
    }

    init(
        _ entry: ShareCard.Entry, _ style: Style, in room: Box, on canvas: Canvas
    ) throws(CardError) {
        self.entry = entry
        self.style = style
        width = room.width
        let fixed = style.meta * (0.35 + 1.45)
        var titleRoom = room
        titleRoom.height -= fixed
        if !entry.why.isEmpty {
            // The title leaves room for some lines.
            let lines = try TextBlock(
                entry.why, Font(size: style.why.last ?? 0, weight: .regular, isSerif: true),
                width: room.width, lines: 3, on: canvas)
            titleRoom.height -= style.meta * 0.55 + min(lines.size.height, room.height * 0.4)
        }
        title = try TextBlock.largest(
            style.title, entry.title, weight: .bold, lines: style.titleLines, in: titleRoom,
            on: canvas)
        titleHeight = min(title.size.height, titleRoom.height)
        guard !entry.why.isEmpty else {
            why = nil
            return
        }
        var whyRoom = room
        whyRoom.height -= titleHeight + fixed + style.meta * 0.55
        let text = try TextBlock.largest(
            style.why, entry.why, isSerif: true, in: whyRoom, on: canvas)
        // A line of some scripts is higher than the room.
        why = text.size.height <= whyRoom.height ? text : nil
    }

    func draw(x: Double, y: Double, on canvas: Canvas) throws(CardError) {
        let room = Box(x: x, y: y, width: width, height: titleHeight)
        try ShareCard.draw(title, in: room, on: canvas)
        let meta = Box(x: x, y: room.maxY + gap, width: width, height: metaHeight)
        try drawMeta(in: meta, on: canvas)
        why?.draw(x: x, y: meta.maxY + whyGap, Palette.ink)
    }

    private func drawMeta(in box: Box, on canvas: Canvas) throws(CardError) {
        let size = style.meta
        let year = try TextBlock(
            entry.year.map { String($0) } ?? "", Font(size: size, weight: .medium), on: canvas)
        let padding = size * 0.5
        let platform = try TextBlock(
            entry.note, Font(size: size, weight: .semibold),
            width: box.width - 2 * padding - year.size.width - padding, on: canvas)
        var chip = box
        chip.width = platform.size.width + 2 * padding
        canvas.fill(chip, radius: size * 0.35, .color(Palette.sunk))
        try ShareCard.draw(
            platform,
            in: Box(
                x: box.x + padding, y: box.y - 3, width: platform.size.width,
                height: box.height + 6),
            on: canvas)
        year.draw(
            x: chip.maxX + padding, y: box.middle - year.size.height / 2, Palette.soft)
    }
}

extension TextBlock {
    /// The text in the first size that fits all of it without breaking a word, or else as much as
    /// fits in the last size.
    ///
    /// - Parameter lines: The most lines; there are fewer if the room is low.
    static func largest(
        _ sizes: [Double], _ text: String, weight: Font.Weight = .regular, isSerif: Bool = false,
        _ alignment: Alignment = .left, lines: Int = .max, in room: Box, on canvas: Canvas
    ) throws(CardError) -> TextBlock {
        for size in sizes.dropLast() {
            let text = try TextBlock(
                text, Font(size: size, weight: weight, isSerif: isSerif), alignment,
                width: room.width, lines: lineCount(size, lines, in: room), isCut: false,
                on: canvas)
            if text.isWhole, !text.breaksWord, text.size.height <= room.height { return text }
        }
        let font = Font(size: sizes[sizes.count - 1], weight: weight, isSerif: isSerif)
        return try cut(text, font, alignment, lines: lines, in: room, on: canvas)
    }

    /// As much of the text as the room has place for.
    static func cut(
        _ text: String, _ font: Font, _ alignment: Alignment = .left, lines: Int = .max,
        in room: Box, on canvas: Canvas
    ) throws(CardError) -> TextBlock {
        var lines = lineCount(font.size, lines, in: room)
        while true {
            let block = try TextBlock(
                text, font, alignment, width: room.width, lines: lines, on: canvas)
            if lines == 1 || block.size.height <= room.height { return block }
            lines -= 1
        }
    }

    /// A line is higher than the size of its font.
    private static func lineCount(_ size: Double, _ most: Int, in room: Box) -> Int {
        max(1, min(most, Int(room.height / size)))
    }
}

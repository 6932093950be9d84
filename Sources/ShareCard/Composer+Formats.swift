import FaveGames
import Languages
import Views

extension Composer {
    private var isStory: Bool { card.format == .story }
    private var margin: Double { isStory ? 44 : 32 }
    private var first: ShareCard.Entry { card.entries[0] }

    // MARK: Story

    /// Number one's cover fills the top left corner, with who picked it on the right. The why is below,
    /// in the full width, and then the others.
    mutating func composeStory() throws(CardError) {
        let room = width - 2 * margin
        var bottom =
            try addBand(
                height: isStory ? 136 : 88, margin: margin, hasInvitation: isStory) - 36
        let others = card.entries.count - 1
        if others > 0 {
            let row = try row(
                width: room, coverHeight: others == 2 ? 320 : 420, titleLines: 3)
            bottom -= row.height
            try add(row, x: margin, y: bottom)
            bottom -= 44
        }
        // Without a why or without others, there is room for the title below the cover.
        let isTitleBelow = first.why.isEmpty || others == 0
        let sizes = StorySizes(others: others, isStory: isStory)
        let words = try wordsBelow(
            hasTitle: isTitleBelow, width: room,
            heights: [sizes.preferred, sizes.least].map { bottom - 44 - sizes.height($0) })
        let height = min(
            max(bottom - 44 - words.height, sizes.height(sizes.least)), sizes.height(sizes.most))
        let cover = Box(x: 0, y: 0, width: max(sizes.least, height * 3 / 4), height: height)
        try addCover(0, in: cover, radius: 0)
        try addColumn(beside: cover, hasTitle: !isTitleBelow)
        var y = (cover.maxY + bottom - words.height) / 2
        if others == 0 { y = max(cover.maxY + 44, y) }
        for (role, text, gap) in words.texts {
            add(
                role, text, x: margin, y: y, width: room,
                role == .note ? scheme.soft : scheme.ink)
            y += text.size.height + gap
        }
    }

    /// How wide number one's cover may be.
    private struct StorySizes {
        let least: Double
        let preferred: Double
        let most: Double
        private let isLow: Bool

        init(others: Int, isStory: Bool) {
            (least, preferred, most) =
                switch (others, isStory) {
                case (0, true): (740, 760, 800)
                case (0, false): (540, 600, 700)
                case (1...2, _): (600, 660, 720)
                default: (570, 600, 660)
                }
            // Alone in a post, it leaves the most room that it can.
            isLow = others == 0 && !isStory
        }

        func height(_ width: Double) -> Double {
            isLow && width == least ? width * 1.27 : width * 4 / 3
        }
    }

    private struct WordsBelow {
        var texts: [(Composition.Role, TextBlock, gap: Double)] = []

        var height: Double {
            texts.map { $0.1.size.height + $0.gap }.reduce(0, +) - (texts.last?.gap ?? 0)
        }
    }

    /// The words below number one's cover, as large as they can be in the first height, or else in the
    /// second.
    private func wordsBelow(
        hasTitle: Bool, width: Double, heights: [Double]
    ) throws(CardError) -> WordsBelow {
        var words = WordsBelow()
        if hasTitle {
            let isAlone = first.why.isEmpty
            let title = try fit(
                first.title,
                isAlone
                    ? [220, 190, 164, 136, 120, 104, 90, 78, 66, 56, 48]
                    : [88, 76, 66, 56, 48, 42, 37],
                .extraBold, lines: isAlone ? 3 : 2, width: width,
                height: isAlone ? heights[0] - 60 : isStory ? 190 : 112)
            words.texts.append((.title, title, 4))
            words.texts.append((.note, try note(width: width, size: 36), 28))
        }
        guard !first.why.isEmpty else { return words }
        let used = hasTitle ? words.height + 28 : 0
        let large = try quote(
            [104, 92, 82, 73, 65, 58, 52], width: width, height: heights[0] - used)
        let quote =
            large.isWhole && large.size.height <= heights[0] - used
            ? large
            : try quote([52, 48, 44, 40], width: width, height: heights[1] - used)
        words.texts.append((.why, quote, 0))
        return words
    }

    /// Places who picked the games, and perhaps number one's title, on the right of its cover.
    private mutating func addColumn(beside cover: Box, hasTitle: Bool) throws(CardError) {
        let x = cover.maxX + (isStory ? 36 : 28)
        let room = width - margin - x
        // Apps put their own controls over the top of a story.
        let top = isStory ? 180.0 : 40
        // Half of the rest is left for the title.
        let end = try addPersonInColumn(
            x: x, y: top, width: room, picture: isStory ? 128 : 112,
            height: hasTitle ? (cover.maxY - top) * 0.7 : cover.maxY - top)
        guard hasTitle else { return }
        let note = try note(width: room, size: isStory ? 34 : 32)
        let title = try fit(
            first.title, [68, 60, 53, 47, 42, 37, 33, 30, 28], .extraBold, lines: 6, width: room,
            height: cover.maxY - end - 40 - note.size.height - 6)
        let y = cover.maxY - note.size.height - 6
        add(.note, note, x: x, y: y, width: room, scheme.soft)
        add(.title, title, x: x, y: y - 6 - title.size.height, width: room)
    }

    // MARK: Post

    /// The least height of number one's cover, which is half as wide as the post.
    private static let postHeight = 708.0

    /// Number one's cover fills the left half of the top, with its title below. Who picked it, and why,
    /// is on the right, and the others are below.
    mutating func composePost() throws(CardError) {
        let room = width - 2 * margin
        let end = try addBand(height: 88, margin: margin, hasInvitation: false) - 24
        guard !first.why.isEmpty else { return try composePostWithoutWhy(until: end) }
        let captionWidth = width / 2 - margin - 8
        let title = try fit(
            first.title, [46, 42, 38, 34, 31, 28], .extraBold, lines: 2, width: captionWidth)
        let note = try note(width: captionWidth, size: 30)
        let captionHeight = 16 + title.size.height + note.size.height + 26

        // What the others leave makes number one's cover larger, and if it isn't enough, they are smaller.
        var row = try row(width: room, coverHeight: 320, titleLines: 2)
        let rest = end - row.height - captionHeight - Self.postHeight
        if rest < 0 {
            row = try self.row(width: room, coverHeight: row.coverHeight + rest, titleLines: 2)
        }
        try add(row, x: margin, y: end - row.height)
        let height = Self.postHeight + min(max(rest, 0), 90)
        let cover = Box(x: 0, y: 0, width: max(width / 2, height * 3 / 4), height: height)
        try addCover(0, in: cover, radius: 0)
        add(.title, title, x: margin, y: cover.maxY + 16, width: captionWidth)
        let noteTop = cover.maxY + 16 + title.size.height
        add(.note, note, x: margin, y: noteTop, width: captionWidth, scheme.soft)
        let captionEnd = noteTop + note.size.height

        let x = cover.maxX + 28
        let column = width - margin - x
        let top = try addPerson(x: x, y: 36, width: column) + 28
        let why = try quote(
            [92, 82, 73, 65, 58, 52, 47, 43, 40], width: column, height: captionEnd - top)
        add(
            .why, why,
            in: Box(x: x, y: top, width: column, height: max(captionEnd - top, why.size.height)))
    }

    private mutating func composePostWithoutWhy(until end: Double) throws(CardError) {
        let row = try row(width: width - 2 * margin, coverHeight: 320, titleLines: 2)
        try add(row, x: margin, y: end - row.height)
        let height = end - row.height - 28
        let cover = Box(x: 0, y: 0, width: height * 3 / 4, height: height)
        try addCover(0, in: cover, radius: 0)
        try addColumn(beside: cover, hasTitle: true)
    }

    // MARK: Empty list

    mutating func composeEmptyList() throws(CardError) {
        let bottom = try addBand(
            height: isStory ? 136 : 88, margin: margin, hasInvitation: isStory)
        let room = width - 2 * margin
        let top = try addPersonInColumn(
            x: margin, y: isStory ? 180 : margin + 16, width: room, picture: 160)
        let gap = 20.0
        let count = Double(FaveList.limit)
        let side = (room - (count - 1) * gap) / count
        let row = Box(x: margin, y: bottom - 48 - side * 4 / 3, width: side, height: side * 4 / 3)
        for number in 1...FaveList.limit {
            var place = row
            place.x += Double(number - 1) * (side + gap)
            composition.places.append(place)
            let rank = try TextBlock(
                "\(number)", Font(size: 56, weight: .extraBold), on: canvas)
            add(
                .rank, rank,
                in: Box(
                    x: place.x + (side - rank.size.width) / 2, y: place.y,
                    width: rank.size.width, height: place.height), scheme.soft)
        }
        let title = try fit(
            Words.cardStillChoosing.string(in: card.language), [190, 150], .extraBold, lines: 2,
            width: room)
        add(
            .title, title,
            in: Box(x: margin, y: top + 32, width: room, height: row.y - 32 - top - 32))
    }
}

// The entries below number one.
extension Composer {
    /// Covers of entries in a row, with their titles, which all have one size.
    struct Row {
        let coverWidth: Double
        let coverHeight: Double
        /// From one cover to the next.
        let pitch: Double
        let titles: [TextBlock]
        let areTitlesBeside: Bool
        let titleWidth: Double

        var titleGap: Double { areTitlesBeside ? 28 : 16 }

        var height: Double {
            areTitlesBeside
                ? coverHeight : coverHeight + titleGap + (titles.map(\.size.height).max() ?? 0)
        }
    }

    /// - Parameters:
    ///   - titleLines: The most lines of a title below its cover.
    ///   - height: What the row's covers are at most.
    func row(
        width: Double, coverHeight: Double, titleLines: Int
    ) throws(CardError) -> Row {
        let others = card.entries.dropFirst()
        let count = Double(others.count)
        let gap = 16.0
        let isBeside = others.count < 3
        let cell = (width - (count - 1) * gap) / count
        // They may be a little wider than covers are, to fill the row.
        let coverWidth = min(coverHeight * (isBeside ? 0.75 : 0.8), cell)
        let titleWidth = isBeside ? cell - coverWidth - 28 : cell
        var titles: [TextBlock] = []
        for (size, lines) in isBeside ? Self.sizesBeside : Self.sizesBelow(titleLines) {
            titles = []
            for entry in others {
                titles.append(
                    try fit(entry.title, [size], .bold, lines: lines, width: titleWidth))
            }
            if titles.allSatisfy({ $0.isWhole && !$0.breaksWord }) { break }
        }
        return Row(
            coverWidth: coverWidth, coverHeight: min(coverHeight, coverWidth * 4 / 3),
            pitch: cell + gap, titles: titles, areTitlesBeside: isBeside, titleWidth: titleWidth)
    }

    private static let sizesBeside = [60.0, 52, 46, 40, 36, 32, smallest].map { ($0, lines: 5) }

    /// Sizes of titles below covers, and in how many lines. Titles of one line are preferred.
    private static func sizesBelow(_ lines: Int) -> [(Double, lines: Int)] {
        let sizes = [38, 34, 31, smallest]
        return sizes.dropLast().map { ($0, 1) } + sizes.map { ($0, lines) }
    }

    mutating func add(_ row: Row, x: Double, y: Double) throws(CardError) {
        for (index, title) in row.titles.enumerated() {
            let cover = Box(
                x: x + Double(index) * row.pitch, y: y, width: row.coverWidth,
                height: row.coverHeight)
            try addCover(index + 1, in: cover, radius: 12)
            if row.areTitlesBeside {
                add(
                    .otherTitle, title,
                    in: Box(
                        x: cover.maxX + row.titleGap, y: y, width: row.titleWidth,
                        height: cover.height))
            } else {
                add(
                    .otherTitle, title, x: cover.x, y: cover.maxY + row.titleGap,
                    width: row.titleWidth)
            }
        }
    }
}

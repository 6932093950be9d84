/// An entry in a room of its own: a large cover with the words on its right. If there is a why and the
/// room is high, the why has the whole width below the cover. Only the thread of its canvas may use it.
struct EntryPanel {
    private static let style = EntryWords.Style(
        title: [44, 38, 34, 30, 27, 24, 22], titleLines: 3, meta: 20, why: [26, 24, 22])
    private static let whySizes = [40.0, 36, 32, 28, 25, 23]

    private let entry: ShareCard.Entry
    private let isGold: Bool
    private let width: Double
    private let coverHeight: Double
    private let gap: Double
    private let rank: TextBlock
    private let words: EntryWords
    private let why: TextBlock?

    /// At most the height of the room that the panel was made for.
    var height: Double { coverHeight + (why.map { gap + $0.size.height } ?? 0) }

    private var coverWidth: Double { coverHeight * 3 / 4 }
    private var rankHeight: Double { rank.size.height }

    init(
        _ entry: ShareCard.Entry, isGold: Bool, in room: Box, on canvas: Canvas
    ) throws(CardError) {
        self.isGold = isGold
        width = room.width
        let isBelow = !entry.why.isEmpty && room.width < 2.2 * room.height
        coverHeight = min(
            room.height * (isBelow ? 0.55 : 1), room.width * (isBelow ? 0.42 : 0.52) * 4 / 3)
        gap = room.width < 600 ? 22 : 40
        let wordsWidth = room.width - coverHeight * 3 / 4 - gap
        let largest = entry.why.isEmpty || isBelow ? 1.6 : 1.25
        let scale = min(max(wordsWidth / (isBelow ? 324 : 230), 1), largest)
        rank = try TextBlock(
            "\(entry.rank)", Font(size: 54 * scale, weight: .extraBold), on: canvas)
        let beside = isBelow ? entry.withoutWhy : entry
        self.entry = beside
        words = try EntryWords(
            beside, Self.style.scaled(by: scale),
            in: Box(x: 0, y: 0, width: wordsWidth, height: coverHeight - rank.size.height),
            on: canvas)
        guard isBelow else {
            why = nil
            return
        }
        let whyScale = max(room.width / 492, 1)
        let whyRoom = Box(
            x: 0, y: 0, width: room.width, height: room.height - coverHeight - gap)
        let text = try TextBlock.largest(
            Self.whySizes.map { $0 * whyScale }, entry.why, isSerif: true, in: whyRoom, on: canvas)
        why = text.size.height <= whyRoom.height ? text : nil
    }

    /// Draws the panel in the middle of a room's height.
    func draw(in room: Box, on canvas: Canvas) throws(CardError) {
        let top = room.middle - height / 2
        let cover = Box(x: room.x, y: top, width: coverWidth, height: coverHeight)
        try ShareCard.drawCover(of: entry, in: cover, on: canvas)
        let left = cover.maxX + gap
        let y = cover.middle - (rankHeight + words.height) / 2
        rank.draw(x: left, y: y, isGold ? Palette.gold : Palette.soft)
        try words.draw(x: left, y: y + rankHeight, on: canvas)
        why?.draw(x: room.x, y: cover.maxY + gap, Palette.ink)
    }
}

extension ShareCard.Entry {
    fileprivate var withoutWhy: Self {
        Self(
            rank: rank, title: title, note: note, year: year, placeholder: placeholder,
            coverID: coverID, why: "")
    }
}

/// The cards that were asked for most recently, within a number and a size.
struct CardCache {
    private struct Card {
        let png: [UInt8]
        var lastUse: Int
    }

    private let countLimit: Int
    private let byteLimit: Int
    private var cards: [String: Card] = [:]
    private var uses = 0
    private(set) var byteCount = 0

    init(countLimit: Int, byteLimit: Int) {
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    var count: Int { cards.count }

    mutating func png(for digest: String) -> [UInt8]? {
        uses += 1
        cards[digest]?.lastUse = uses
        return cards[digest]?.png
    }

    mutating func insert(_ png: [UInt8], for digest: String) {
        guard countLimit > 0, png.count <= byteLimit else { return }
        remove(digest)
        while cards.count >= countLimit || byteCount + png.count > byteLimit {
            // Few enough to look at all of them, compared with drawing one.
            guard let oldest = cards.min(by: { $0.value.lastUse < $1.value.lastUse }) else { break }
            remove(oldest.key)
        }
        uses += 1
        cards[digest] = Card(png: png, lastUse: uses)
        byteCount += png.count
    }

    private mutating func remove(_ digest: String) {
        byteCount -= cards.removeValue(forKey: digest)?.png.count ?? 0
    }
}

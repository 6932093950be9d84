import Crypto
import Encodings

extension ShareCard {
    /// How cards look: counts up when the same card is drawn differently, so that nobody keeps an
    /// old picture.
    private static let design = 1

    /// 32 hexadecimal digits that are others for every other card.
    public var digest: String {
        var hash = SHA256()
        func add(_ part: String) {
            // The length first, so that no two lists of parts are the same bytes.
            hash.update(data: Array("\(part.utf8.count):\(part)".utf8))
        }
        add(String(Self.design))
        add(username)
        add(name)
        for entry in entries {
            add(String(entry.rank))
            add(entry.title)
            add(entry.platform)
            add(entry.year.map { String($0) } ?? "")
            add(String(entry.cover.hue))
        }
        return Hexadecimal.encode(hash.finalize().prefix(16))
    }
}

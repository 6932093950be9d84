import Crypto
import Encodings
import FaveGames
import Languages
import Views

extension ShareCard {
    /// The version of the design. Increase it whenever the same card is drawn differently, so that
    /// caches don't serve an old picture.
    private static let design = 5

    /// 32 hexadecimal digits, which are different for every card.
    public var digest: String {
        var hash = SHA256()
        func add(_ part: String) {
            // The length comes first, so that different lists of parts never become the same bytes.
            hash.update(data: Array("\(part.utf8.count):\(part)".utf8))
        }
        add(String(Self.design))
        add(format.rawValue)
        add(theme.rawValue)
        add(layout.rawValue)
        if language != .en {
            add(language.tag)
            // The card shows these, too, and translators may change them.
            for words in [Words.cardInvitation, .cardStillChoosing] {
                add(words.string(in: language))
            }
        }
        add(eyebrow)
        add(name)
        add(text)
        add(brand)
        add(accent.description)
        add(address)
        add(avatar.map { String($0.hue) } ?? "")
        for entry in entries {
            add(String(entry.rank))
            add(entry.title)
            add(entry.note)
            add(entry.year.map { String($0) } ?? "")
            add(String(entry.placeholder.hue))
            add(entry.coverID ?? "")
            add(entry.why)
        }
        return Hexadecimal.encode(hash.finalize().prefix(16))
    }
}

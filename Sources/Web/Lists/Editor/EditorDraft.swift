import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import Languages
import Views

/// A list while someone is editing it: the contents of the form on the editing page. Nothing is
/// stored until the list is saved, so that many changes become one.
struct EditorDraft: Sendable {
    struct Slot: Sendable {
        /// Unique in the form: the entry's id, or "new-" and a number.
        let key: String
        let gameID: Int
        var platformID: Int?
        var comment = ""
        var rating = ""
        var tags = ""
        /// The entry is removed when the list is saved. Before that, it can be restored.
        var isRemoved = false

        var entryID: UUID? { UUID(uuidString: key) }
    }

    private(set) var slots: [Slot]
    /// The state of the list when the page was opened; `nil` if the form does not say, or if the
    /// visitor was not signed in.
    var base: ListFingerprint?

    /// The most slots in a draft: the entries on the list, and those removed since it was opened.
    static let slotLimit = 10
    /// The most slots that a form may send. The first of the removed ones are then dropped until
    /// `slotLimit` are left.
    private static let readLimit = 40

    /// A new list.
    init() { slots = [] }

    init(_ list: FaveList) {
        slots = list.entries.map { entry in
            Slot(
                key: entry.id.text, gameID: entry.game.id,
                platformID: entry.platform.id, comment: entry.comment,
                rating: entry.rating.map { String($0.value) } ?? "",
                tags: entry.tags.joined(separator: ", "))
        }
        base = ListFingerprint(list)
    }

    /// Reads the form. Each entry begins with a field named `entry`, and the fields after it belong
    /// to it, so that the order of the fields is the order of the list.
    ///
    /// - Throws: 400 for a form that is not from our page.
    init(_ items: FormItems) throws(Problem) {
        slots = []
        for (name, value) in items.items {
            if name == "entry" {
                guard
                    value.consists(
                        of: {
                            $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
                        }, bytes: 1...40),
                    !slots.contains(where: { $0.key == value }), slots.count < Self.readLimit
                else { throw Self.notOurs }
                slots.append(Slot(key: value, gameID: 0))
                continue
            }
            guard let index = slots.indices.last else { continue }
            switch name {
            case "game":
                guard let id = GameID.parse(value), slots[index].gameID == 0 else {
                    throw Self.notOurs
                }
                slots[index] = Slot(key: slots[index].key, gameID: id)
            case "platform": slots[index].platformID = GameID.parse(value)
            case "comment": slots[index].comment = value
            case "rating": slots[index].rating = value
            case "tags": slots[index].tags = value
            case "removed": slots[index].isRemoved = value == "1"
            default: break
            }
        }
        guard slots.allSatisfy({ $0.gameID > 0 }) else { throw Self.notOurs }
        base = items["guest"] == nil ? items["base"].flatMap(ListFingerprint.init) : nil
        while slots.count > Self.slotLimit {
            guard let index = slots.firstIndex(where: \.isRemoved) else { throw Self.notOurs }
            slots.remove(at: index)
        }
    }

    /// The entries as form data that can be parsed again.
    var form: String {
        remaining.flatMap { slot in
            [
                ("entry", slot.key), ("game", String(slot.gameID)),
                ("platform", slot.platformID.map { String($0) } ?? ""), ("comment", slot.comment),
                ("rating", slot.rating), ("tags", slot.tags),
            ]
        }
        .map { "\($0)=\(PercentCoding.encodeQueryValue($1))" }.joined(separator: "&")
    }

    static let notOurs = Problem.badRequest(
        .formNotOurs)

    var remaining: [Slot] { slots.filter { !$0.isRemoved } }
    var isFull: Bool { remaining.count >= FaveList.limit }

    subscript(key: String) -> Slot? { slots.first { $0.key == key } }

    /// - Parameter platform: Any platform if `nil`.
    func has(_ game: Int, on platform: Int?) -> Bool {
        remaining.contains { $0.gameID == game && (platform == nil || $0.platformID == platform) }
    }

    // MARK: Changes

    /// Moves an entry by one place among the entries that remain.
    mutating func move(_ key: String, up: Bool) {
        let places = slots.indices.filter { !slots[$0].isRemoved }
        guard let place = places.firstIndex(where: { slots[$0].key == key }) else { return }
        let other = up ? place - 1 : place + 1
        guard places.indices.contains(other) else { return }
        slots.swapAt(places[place], places[other])
    }

    mutating func remove(_ key: String) {
        guard let index = slots.firstIndex(where: { $0.key == key }) else { return }
        slots[index].isRemoved = true
    }

    /// - Returns: Whether there is room for the entry.
    mutating func restore(_ key: String) -> Bool {
        guard let index = slots.firstIndex(where: { $0.key == key && $0.isRemoved }) else {
            return true
        }
        guard !isFull else { return false }
        slots[index].isRemoved = false
        return true
    }

    /// Adds a game at the end.
    ///
    /// - Parameter platform: The platform that is chosen already, if the game is on it. Otherwise the
    ///   platform of the last other entry that the game is on, too, or the only one there is.
    /// - Returns: The key of its slot; `nil` if there is no room for it.
    mutating func add(_ game: FoundGame, on platform: Int? = nil) -> String? {
        guard !isFull else { return nil }
        makeRoom()
        let slot = newSlot(game, on: platform)
        slots.append(slot)
        return slot.key
    }

    /// Adds a game from elsewhere at the end, with what its owner said about it there.
    ///
    /// - Returns: The key of its slot; `nil` if there is no room for it.
    mutating func add(_ row: ImportRow, _ game: FoundGame) -> String? {
        guard let key = add(game, on: row.platform?.id) else { return nil }
        let index = slots.count - 1
        slots[index].comment = row.comment
        slots[index].rating = row.rating.map { String($0.value) } ?? ""
        slots[index].tags = row.tags
        return key
    }

    /// Adds the entries of a guest draft that are not on the list yet.
    mutating func append(_ guest: EditorDraft) {
        for slot in guest.remaining where slots.count < Self.slotLimit {
            let isHere = slots.contains {
                $0.key == slot.key || $0.gameID == slot.gameID && $0.platformID == slot.platformID
            }
            if !isHere { slots.append(slot) }
        }
    }

    /// Replaces an entry by a game.
    ///
    /// - Returns: The key of the game's slot; `nil` if the entry is not on the list.
    mutating func swap(_ key: String, for game: FoundGame) -> String? {
        makeRoom()
        guard let index = slots.firstIndex(where: { $0.key == key && !$0.isRemoved }) else {
            return nil
        }
        let slot = newSlot(game)
        slots[index].isRemoved = true
        slots.insert(slot, at: index)
        return slot.key
    }

    /// Drops the first of the removed slots if the draft is at its limit.
    private mutating func makeRoom() {
        guard slots.count >= Self.slotLimit,
            let index = slots.firstIndex(where: { $0.isRemoved })
        else { return }
        slots.remove(at: index)
    }

    private func newSlot(_ game: FoundGame, on platform: Int? = nil) -> Slot {
        let taken = slots.compactMap { Int($0.key.drop { !$0.isNumber }) }
        let platforms = game.platforms.map(\.id).filter { !has(game.game.id, on: $0) }
        let chosen = [platform].compactMap(\.self) + remaining.reversed().compactMap(\.platformID)
        return Slot(
            key: "new-\((taken.max() ?? 0) % 1_000_000 + 1)", gameID: game.game.id,
            platformID: chosen.first(where: platforms.contains)
                ?? (platforms.count == 1 ? platforms.first : nil))
    }

    // MARK: Saving

    /// The errors in the fields of an entry.
    struct Faults: Sendable {
        var platform: Words?
        var comment: Words?
        var rating: Words?
        var tags: Words?

        /// The names of the fields with an error, in the order of the page.
        var all: [(field: String, text: Words)] {
            [("platform", platform), ("comment", comment), ("rating", rating), ("tags", tags)]
                .compactMap { field, text in text.map { (field, $0) } }
        }
    }

    /// The entries to store.
    ///
    /// - Throws: `InvalidDraft` with all errors.
    func entries() throws(InvalidDraft) -> [DraftEntry] {
        var entries: [DraftEntry] = []
        var faults: [String: Faults] = [:]
        for slot in remaining {
            var wrong = Faults()
            var comment = Comment.empty
            do {
                comment = try Comment(slot.comment)
            } catch {
                wrong.comment = error.words
            }
            var tags = Tags.none
            do {
                tags = try Tags(commaSeparated: slot.tags)
            } catch {
                wrong.tags = error.words
            }
            let rating = Int(slot.rating).flatMap(Rating.init)
            if rating == nil, !slot.rating.isEmpty {
                wrong.rating = .chooseRating
            }
            let platformID = slot.platformID ?? 0
            if platformID == 0 {
                wrong.platform = .choosePlatform
            }
            let entry = DraftEntry(
                id: slot.entryID, gameID: slot.gameID, platformID: platformID, comment: comment,
                rating: rating, tags: tags)
            if platformID != 0, entries.contains(where: { $0.pick == entry.pick }) {
                wrong.platform = .alreadyOnList
            }
            if !wrong.all.isEmpty { faults[slot.key] = wrong }
            entries.append(entry)
        }
        guard faults.isEmpty else { throw InvalidDraft(faults: faults) }
        return entries
    }

    /// The blocked fields of entries that could not be stored.
    func faults(of entries: [DraftEntry], _ error: RefusedText) -> [String: Faults] {
        var faults: [String: Faults] = [:]
        for (slot, entry) in zip(remaining, entries) {
            var wrong = Faults()
            wrong.comment = error.words(of: entry.comment.text)
            wrong.tags = entry.tags.tags.lazy.compactMap { error.words(of: $0.text) }.first
            if !wrong.all.isEmpty { faults[slot.key] = wrong }
        }
        return faults
    }
}

/// A list that cannot be saved as it is.
struct InvalidDraft: Error {
    /// The faults by the keys of the entries.
    let faults: [String: EditorDraft.Faults]
}

public import Foundation

/// A list that is being changed. Changes are made to the draft, which is then stored as a whole.
public struct ListDraft: Hashable, Sendable {
    /// In the order of their positions.
    public private(set) var entries: [DraftEntry]

    public init(_ list: FaveList) {
        entries = list.entries.map(DraftEntry.init)
    }

    /// A whole new list in place of `list`.
    ///
    /// An entry takes over the id of the entry in `list` for the same game and platform. If there
    /// is no such entry, its own id stays, provided that `list` has that id and no other entry has
    /// taken it.
    ///
    /// - Throws: The first `ListError` among `tooManyEntries` and `duplicateGame`.
    public init(_ wanted: [DraftEntry], replacing list: FaveList) throws(ListError) {
        let current = Dictionary(
            list.entries.map { (Pick(game: $0.game.id, platform: $0.platform.id), $0.id) },
            uniquingKeysWith: { first, _ in first })
        var free = Set(current.values).subtracting(wanted.compactMap { current[$0.pick] })
        entries = wanted.map { entry in
            let own = entry.id.flatMap { free.remove($0) }
            return DraftEntry(
                id: current[entry.pick] ?? own, gameID: entry.gameID, platformID: entry.platformID,
                comment: entry.comment, rating: entry.rating, tags: entry.tags)
        }
        try Self.check(entries)
    }

    /// - Parameter position: Where to insert the entry; the entries from there on move down. If
    ///   `nil`, the entry goes to the end.
    public mutating func insert(_ entry: DraftEntry, at position: Int?) throws(ListError) {
        guard entries.count < FaveList.limit else { throw .tooManyEntries }
        let allowed = 1...entries.count + 1
        let position = position ?? allowed.upperBound
        guard allowed.contains(position) else {
            throw .positionOutOfRange(position, allowed: allowed)
        }
        var changed = entries
        changed.insert(entry, at: position - 1)
        try Self.check(changed)
        entries = changed
    }

    /// Changes an entry.
    ///
    /// - Parameter position: The entry's new place; if `nil`, it stays where it is.
    public mutating func change(
        _ id: UUID, position: Int? = nil, _ change: (inout DraftEntry) -> Void = { _ in }
    ) throws(ListError) {
        let index = try index(of: id)
        var entry = entries[index]
        change(&entry)
        let position = position ?? index + 1
        guard (1...entries.count).contains(position) else {
            throw .positionOutOfRange(position, allowed: 1...entries.count)
        }
        var changed = entries
        changed.remove(at: index)
        changed.insert(entry, at: position - 1)
        try Self.check(changed)
        entries = changed
    }

    public mutating func remove(_ id: UUID) throws(ListError) {
        entries.remove(at: try index(of: id))
    }

    private func index(of id: UUID) throws(ListError) -> Int {
        guard let index = entries.firstIndex(where: { $0.id == id }) else {
            throw .noSuchEntry(id)
        }
        return index
    }

    private static func check(_ entries: [DraftEntry]) throws(ListError) {
        guard entries.count <= FaveList.limit else { throw .tooManyEntries }
        var seen: Set<Pick> = []
        for entry in entries where !seen.insert(entry.pick).inserted {
            throw .duplicateGame(game: entry.gameID, platform: entry.platformID)
        }
    }
}

/// An entry of a draft. Its place among the others is its position.
public struct DraftEntry: Hashable, Sendable {
    /// `nil` for a new entry.
    public let id: UUID?
    public var gameID: Int
    public var platformID: Int
    public var comment: Comment
    public var rating: Rating?
    public var tags: Tags

    public init(
        id: UUID? = nil, gameID: Int, platformID: Int, comment: Comment = .empty,
        rating: Rating? = nil, tags: Tags = .none
    ) {
        self.id = id
        self.gameID = gameID
        self.platformID = platformID
        self.comment = comment
        self.rating = rating
        self.tags = tags
    }

    public var pick: Pick { Pick(game: gameID, platform: platformID) }
}

extension DraftEntry {
    init(_ entry: Entry) {
        // Stored values passed through `Comment` and `Tags` when they came in.
        self.init(
            id: entry.id, gameID: entry.game.id, platformID: entry.platform.id,
            comment: (try? Comment(entry.comment)) ?? .empty, rating: entry.rating,
            tags: (try? Tags(entry.tags)) ?? .none)
    }
}

/// A game on a platform. A list may hold each pick only once.
public struct Pick: Hashable, Sendable {
    public let game: Int
    public let platform: Int

    public init(game: Int, platform: Int) {
        self.game = game
        self.platform = platform
    }
}

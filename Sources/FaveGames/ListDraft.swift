import Foundation

/// A list while it is changed: changes are made to the draft, which is stored as a whole.
public struct ListDraft: Hashable, Sendable {
    /// In the order of their positions.
    public private(set) var entries: [DraftEntry]

    public init(_ list: FaveList) {
        entries = list.entries.map(DraftEntry.init)
    }

    /// A whole new list. Entries for a game and platform that `list` has keep their identity, and so
    /// do others that say which entry of it they were.
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

    /// - Parameter position: Where to insert it; those from there on move down. At the end if
    ///   `nil`.
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
    /// - Parameter position: Its new place; it stays where it is if `nil`.
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
        // What is stored went through `Comment` and `Tags` when it came in.
        self.init(
            id: entry.id, gameID: entry.game.id, platformID: entry.platform.id,
            comment: (try? Comment(entry.comment)) ?? .empty, rating: entry.rating,
            tags: (try? Tags(entry.tags)) ?? .none)
    }
}

/// A game for a platform: what a list may hold once.
public struct Pick: Hashable, Sendable {
    public let game: Int
    public let platform: Int

    public init(game: Int, platform: Int) {
        self.game = game
        self.platform = platform
    }
}

public import Foundation

/// A list as it was when its owner took a snapshot of it. It doesn't change.
public struct Snapshot: Hashable, Sendable {
    /// How many snapshots a user can have, besides the yearly ones.
    public static let limit = 40
    /// For how many days the snapshot of a year is news.
    public static let newsDays = 30

    public let owner: User
    public let summary: SnapshotSummary
    /// In the order of their positions; at least one.
    public let entries: [SnapshotEntry]
    /// The snapshot before this one, or for a yearly one, the yearly one before; `nil` for the first.
    public let previous: SnapshotSummary?
    /// The entries of the previous list whose games aren't on this one.
    public let gone: [SnapshotEntry]

    /// - Parameter previous: The snapshot that this one is compared with, and its entries.
    public init(
        owner: User, summary: SnapshotSummary, entries: [SnapshotEntry],
        previous: (summary: SnapshotSummary, entries: [SnapshotEntry])? = nil
    ) {
        self.owner = owner
        self.summary = summary
        self.previous = previous?.summary
        let earlier = previous?.entries ?? []
        self.entries = entries.map { entry in
            entry.comingFrom(earlier.first { $0.pick == entry.pick }?.position)
        }
        let picks = Set(entries.map(\.pick))
        gone = earlier.filter { !picks.contains($0.pick) }
    }

    /// How an entry has moved since the previous list; `nil` if there is none.
    public func movement(of entry: SnapshotEntry) -> Movement? {
        previous == nil ? nil : Movement(from: entry.previousPosition, to: entry.position)
    }
}

/// A snapshot without its entries.
public struct SnapshotSummary: Hashable, Sendable {
    /// The end of its address, which `SnapshotSlug` can read.
    public let slug: String
    public let title: String
    public let takenAt: Date
    /// The year that ended; `nil` for a snapshot that the user took.
    public let year: Int?

    public init(slug: String, title: String, takenAt: Date, year: Int? = nil) {
        self.slug = slug
        self.title = title
        self.takenAt = takenAt
        self.year = year
    }
}

/// One place on a snapshot.
public struct SnapshotEntry: Hashable, Sendable {
    /// From 1 to 5.
    public let position: Int
    public let game: Game
    public let platform: Platform
    /// Empty if the owner gave none, or if moderators have hidden it.
    public let comment: String
    public let rating: Rating?
    public let tags: [String]
    /// The game's place on the snapshot before this one; `nil` if it wasn't there.
    public private(set) var previousPosition: Int?

    public init(
        position: Int, game: Game, platform: Platform, comment: String, rating: Rating? = nil,
        tags: [String] = []
    ) {
        self.position = position
        self.game = game
        self.platform = platform
        self.comment = comment
        self.rating = rating
        self.tags = tags
    }

    fileprivate var pick: Pick { Pick(game: game.id, platform: platform.id) }

    fileprivate func comingFrom(_ position: Int?) -> SnapshotEntry {
        var entry = self
        entry.previousPosition = position
        return entry
    }
}

/// Why no snapshot can be taken.
public enum SnapshotError: Error, Hashable, Sendable {
    case empty
    case tooMany
}

import Foundation

/// A list as it was when its owner kept it. It doesn't change.
public struct KeptList: Hashable, Sendable {
    /// How many lists a user can keep, besides those that are kept because a year ends.
    public static let limit = 40

    public let owner: User
    public let summary: KeptListSummary
    /// In the order of their positions; at least one.
    public let entries: [KeptEntry]
    /// The list that was kept before this one; `nil` for the first.
    public let previous: KeptListSummary?
    /// The entries of the previous list whose games aren't on this one.
    public let gone: [KeptEntry]

    /// - Parameter previous: The list that was kept before this one, and its entries.
    public init(
        owner: User, summary: KeptListSummary, entries: [KeptEntry],
        previous: (summary: KeptListSummary, entries: [KeptEntry])? = nil
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
    public func movement(of entry: KeptEntry) -> Movement? {
        previous == nil ? nil : Movement(from: entry.previousPosition, to: entry.position)
    }
}

/// What a list was kept as.
public struct KeptListSummary: Hashable, Sendable {
    /// The end of its address, which `KeptListSlug` can read.
    public let slug: String
    public let title: String
    public let keptAt: Date

    public init(slug: String, title: String, keptAt: Date) {
        self.slug = slug
        self.title = title
        self.keptAt = keptAt
    }
}

/// One place on a list that was kept.
public struct KeptEntry: Hashable, Sendable {
    /// From 1 to 5.
    public let position: Int
    public let game: Game
    public let platform: Platform
    /// Empty if the owner gave none, or if moderators have hidden it.
    public let comment: String
    public let rating: Rating?
    public let tags: [String]
    /// The game's place on the list that was kept before; `nil` if it wasn't there.
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

    fileprivate func comingFrom(_ position: Int?) -> KeptEntry {
        var entry = self
        entry.previousPosition = position
        return entry
    }
}

/// Why a list can't be kept.
public enum KeptListError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case tooMany

    public var description: String {
        switch self {
        case .empty: "There is nothing to keep yet: the list is empty."
        case .tooMany:
            "You can keep at most \(KeptList.limit) lists, besides those of your years. Delete one first."
        }
    }
}

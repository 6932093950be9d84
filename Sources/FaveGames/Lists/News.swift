public import Foundation

/// The events around a user's list since the user last looked.
public struct News: Sendable {
    /// From when on things are news.
    public let since: Date
    /// The latest first; at most `limit`.
    public let items: [Item]
    /// `nil` unless the user's number one has moved.
    public let numberOne: NumberOneMove?

    /// The largest number of items.
    public static let limit = 20
    /// How long things are news at most, however long the user was away.
    public static let days = 30

    /// - Parameter items: In any order.
    public init(since: Date, items: [Item], numberOne: NumberOneMove?) {
        self.since = since
        self.items = Array(items.sorted { $0.at > $1.at }.prefix(Self.limit))
        self.numberOne = numberOne
    }

    /// Things of one kind that belong together.
    public struct Item: Sendable {
        /// When the last of them happened.
        public let at: Date
        public let event: Event

        public init(at: Date, _ event: Event) {
            self.at = at
            self.event = event
        }
    }

    public enum Event: Sendable {
        /// So many people said “me too” to the user's comment about a game at this position.
        case hearts(Int, game: Game, position: Int)
        /// These games came onto the public list of someone whom the user follows, or who is in one
        /// of the user's circles.
        case games([Game], of: ListOwner)
        /// So many people joined a circle of the user's.
        case members(Int, of: NamedCircle, latest: NamedMember)
    }

    /// Someone with a public list.
    public struct ListOwner: Sendable {
        public let userID: UUID
        public let username: String
        public let displayName: String

        public init(userID: UUID, username: String, displayName: String) {
            self.userID = userID
            self.username = username
            self.displayName = displayName
        }
    }

    public struct NamedCircle: Sendable {
        public let id: UUID
        public let slug: String
        public let name: String

        public init(id: UUID, slug: String, name: String) {
            self.id = id
            self.slug = slug
            self.name = name
        }
    }

    /// A member of a circle, as the others see them.
    public struct NamedMember: Sendable {
        /// `nil` unless the member's list is public.
        public let username: String?
        public let displayName: String

        public init(username: String?, displayName: String) {
            self.username = username
            self.displayName = displayName
        }
    }
}

/// How the first game of a list has moved in the ranking of its platform.
public struct NumberOneMove: Sendable {
    public let game: Game
    public let platform: Platform
    public let from: Int
    public let to: Int

    public init(game: Game, platform: Platform, from: Int, to: Int) {
        self.game = game
        self.platform = platform
        self.from = from
        self.to = to
    }

    /// Moves down from below this rank aren't told: there, games trade places every day.
    public static let lastToldFall = 10
}

/// What someone has seen of their news.
public struct NewsVisit: Hashable, Sendable {
    /// From when on things are news in this visit. A visit ends half an hour after the user has last
    /// looked.
    public let since: Date
    /// Whether people have done something since the user last looked. Ranks, which move every day by
    /// themselves, don't count.
    public let hasUnseen: Bool
    /// Whether it is time to record again that the user looks.
    public let isDue: Bool

    public init(since: Date, hasUnseen: Bool, isDue: Bool) {
        self.since = since
        self.hasUnseen = hasUnseen
        self.isDue = isDue
    }
}

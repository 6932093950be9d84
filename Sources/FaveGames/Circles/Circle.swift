public import Foundation

/// A group of people, joined by invitation, with rankings of its members' public lists.
public struct Circle: Hashable, Sendable {
    /// The largest number of members.
    public static let memberLimit = 100
    /// How many circles someone can be in, and how many of these they can own.
    public static let joinedLimit = 50
    public static let ownedLimit = 20
    /// The largest number of open invitations, and what one is for unless its maker says so.
    public static let invitationLimit = 20
    public static let defaultUses = 20
    public static let defaultDays = 7

    public let id: UUID
    /// The end of its address, which `CircleSlug` can read.
    public let slug: String
    public let name: String
    /// Empty if there is none.
    public let description: String
    public let visibility: CircleVisibility
    public let createdAt: Date

    public init(
        id: UUID, slug: String, name: String, description: String, visibility: CircleVisibility,
        createdAt: Date
    ) {
        self.id = id
        self.slug = slug
        self.name = name
        self.description = description
        self.visibility = visibility
        self.createdAt = createdAt
    }
}

/// The people who can see a circle.
public enum CircleVisibility: String, CaseIterable, Sendable {
    /// Everyone.
    case `public`
    /// Its members, and anyone with an invitation sees its name.
    case members
}

/// A member's role in a circle.
public enum CircleRole: String, CaseIterable, Sendable {
    case owner, member
}

/// A circle that someone is in.
public struct OwnCircle: Hashable, Sendable {
    public let circle: Circle
    public let role: CircleRole
    /// Without members who are suspended.
    public let memberCount: Int
    public let joinedAt: Date

    public init(circle: Circle, role: CircleRole, memberCount: Int, joinedAt: Date) {
        self.circle = circle
        self.role = role
        self.memberCount = memberCount
        self.joinedAt = joinedAt
    }
}

/// A member of a circle, as someone sees them.
public struct CircleMember: Hashable, Sendable {
    /// The id of the membership, and not of the user.
    public let id: UUID
    /// `nil` unless the member's list is public: the username would lead to the list.
    public let username: String?
    public let displayName: String
    public let isOwner: Bool
    /// Whether the member is the viewer.
    public let isViewer: Bool
    /// `nil` for someone who isn't a member themselves.
    public let joinedAt: Date?

    public init(
        id: UUID, username: String?, displayName: String, isOwner: Bool, isViewer: Bool,
        joinedAt: Date?
    ) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.isOwner = isOwner
        self.isViewer = isViewer
        self.joinedAt = joinedAt
    }
}

/// The ranking of a circle on one platform: the games of its members' public lists.
public struct CircleRanking: Sendable {
    public let platform: Platform
    /// How many games are ranked on the platform, whether or not they are among `games`.
    public let gameCount: Int
    /// By rank, and within a rank by name.
    public let games: [RankedGame]

    public init(platform: Platform, gameCount: Int, games: [RankedGame]) {
        self.platform = platform
        self.gameCount = gameCount
        self.games = games
    }
}

/// A game on the public lists of several members, on any platforms.
public struct CommonGame: Sendable {
    public let game: Game
    /// The number of lists that include the game.
    public let lists: Int

    public init(game: Game, lists: Int) {
        self.game = game
        self.lists = lists
    }
}

/// An invitation as the owner of the circle sees it.
public struct CircleInvitation: Hashable, Sendable {
    public let id: UUID
    /// How many people it is for, and how many of these places are left.
    public let uses: Int
    public let usesLeft: Int
    public let createdAt: Date
    public let expiresAt: Date

    public init(id: UUID, uses: Int, usesLeft: Int, createdAt: Date, expiresAt: Date) {
        self.id = id
        self.uses = uses
        self.usesLeft = usesLeft
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// The circle that an invitation is for, as anyone with the invitation sees it.
public struct CircleOffer: Sendable {
    public let circle: Circle
    /// The display name of the circle's owner.
    public let owner: String
    /// Without members who are suspended.
    public let memberCount: Int
    public let expiresAt: Date
    /// Whether the viewer is already a member.
    public let isMember: Bool

    public init(
        circle: Circle, owner: String, memberCount: Int, expiresAt: Date, isMember: Bool
    ) {
        self.circle = circle
        self.owner = owner
        self.memberCount = memberCount
        self.expiresAt = expiresAt
        self.isMember = isMember
    }
}

public import Foundation

/// Why someone reports something.
public enum ReportReason: String, CaseIterable, Sendable {
    case spam, abuse, sexual, privacy, illegal, other

    /// The reason in a few words.
    public var text: String {
        switch self {
        case .spam: "Spam or advertising"
        case .abuse: "Hate, threats or harassment"
        case .sexual: "Sexual content"
        case .privacy: "Someone’s private details"
        case .illegal: "Something illegal"
        case .other: "Something else"
        }
    }
}

/// A thing that can be reported.
public enum ReportedKind: String, CaseIterable, Sendable {
    /// A comment on one game.
    case entry
    case list
    /// A username, a name or what the user says about themselves.
    case profile
    /// A circle's name, address or description.
    case circle
}

/// Something that a report is about.
public enum ReportedThing: Hashable, Sendable {
    case entry(UUID)
    case list(Username)
    case profile(Username)
    case circle(UUID)
}

/// A reporter's or a moderator's own words: at most 500 characters, on one line. May be empty.
public struct ModerationNote: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 500
    public static let empty = ModerationNote(text: "")

    public let text: String

    private init(text: String) { self.text = text }

    /// Cleans a text that someone typed, as `Bio` does.
    ///
    /// - Returns: `nil` if more than `limit` characters are left.
    public init?(_ text: String) {
        guard let line = OneLine.clean(text, limit: Self.limit) else { return nil }
        self.text = line
    }
}

/// A reported thing, with any number of reports.
public struct ReportCase: Sendable {
    public let id: Int
    public let kind: ReportedKind
    public let username: String
    public let displayName: String
    public let bio: String
    public let openedAt: Date
    /// The text that was first reported: the comment, or the name and the description.
    public let reported: String
    /// The circle, as it is now; `nil` if it is gone, and for other kinds.
    public let circle: ReportedCircle?
    /// The comment as it is now; `nil` if the entry is gone, and for other kinds.
    public let comment: String?
    /// The game of the entry.
    public let game: String?
    public let reportCount: Int
    /// The reasons of the latest hundred reports, each once, the most frequent first.
    public let reasons: [ReportReason]
    /// The notes of the latest ten reporters.
    public let notes: [String]

    public init(
        id: Int, kind: ReportedKind, username: String, displayName: String, bio: String,
        openedAt: Date, reported: String, circle: ReportedCircle?, comment: String?, game: String?,
        reportCount: Int, reasons: [ReportReason], notes: [String]
    ) {
        self.id = id
        self.kind = kind
        self.username = username
        self.displayName = displayName
        self.bio = bio
        self.openedAt = openedAt
        self.reported = reported
        self.circle = circle
        self.comment = comment
        self.game = game
        self.reportCount = reportCount
        self.reasons = reasons
        self.notes = notes
    }
}

/// A circle that was reported.
public struct ReportedCircle: Sendable {
    public let id: UUID
    public let slug: String
    public let name: String
    public let description: String
    public let visibility: CircleVisibility

    public init(
        id: UUID, slug: String, name: String, description: String, visibility: CircleVisibility
    ) {
        self.id = id
        self.slug = slug
        self.name = name
        self.description = description
        self.visibility = visibility
    }
}

/// A report, as its author sees it.
public struct MadeReport: Sendable {
    public let reason: ReportReason
    public let note: String
    public let madeAt: Date

    public init(reason: ReportReason, note: String, madeAt: Date) {
        self.reason = reason
        self.note = note
        self.madeAt = madeAt
    }
}

/// The person, or the person's comment, that someone is about to report.
public struct Reportable: Sendable {
    public let username: String
    public let displayName: String
    /// For an entry.
    public let game: GameTitle?
    public let comment: String?

    public init(username: String, displayName: String, game: GameTitle?, comment: String?) {
        self.username = username
        self.displayName = displayName
        self.game = game
        self.comment = comment
    }
}

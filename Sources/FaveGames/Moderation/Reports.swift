import Foundation

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
    public static let rule = "must have at most \(limit) characters"
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

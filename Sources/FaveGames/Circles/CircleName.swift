/// A circle's name: in any script, on one line, 1 to 60 characters.
public struct CircleName: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 60

    /// The name of a circle after a moderator has hidden its name.
    public static let hidden = "A circle"

    public let text: String

    /// Cleans a name that someone typed, as `DisplayName` does.
    ///
    /// - Returns: `nil` if no visible character is left, or more than `limit` characters are left.
    public init?(_ text: String) {
        guard let line = OneLine.clean(text, limit: Self.limit), !line.isEmpty else { return nil }
        self.text = line
    }
}

/// A circle's topic: plain text on one line, at most 300 characters. May be empty.
public struct CircleDescription: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 300
    public static let empty = CircleDescription(unchecked: "")

    public let text: String

    private init(unchecked text: String) { self.text = text }

    /// Cleans a text that someone typed, as `Bio` does.
    ///
    /// - Returns: `nil` if more than `limit` characters are left.
    public init?(_ text: String) {
        guard let line = OneLine.clean(text, limit: Self.limit) else { return nil }
        self.text = line
    }
}

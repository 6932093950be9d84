/// Someone's description of themselves: plain text on one line, at most 300 characters. May be
/// empty.
public struct Bio: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 300

    public let text: String

    /// Cleans a text that someone typed: folds white space and control characters, and removes
    /// characters that change the direction of the text around them.
    ///
    /// - Returns: `nil` if more than `limit` characters are left.
    public init?(_ text: String) {
        guard let line = OneLine.clean(text, limit: Self.limit) else { return nil }
        self.text = line
    }
}

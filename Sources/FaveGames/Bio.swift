/// What someone says of themselves: plain text on one line, at most 300 characters, or nothing.
public struct Bio: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 300

    public let text: String

    /// Takes a text as someone typed it: white space is folded, control characters go, and so do
    /// those that turn the direction of the text around it.
    ///
    /// - Returns: `nil` if more than `limit` characters are left.
    public init?(_ text: String) {
        let line = OneLine.clean(text)
        guard line.unicodeScalars.count <= Self.limit else { return nil }
        self.text = line
    }
}

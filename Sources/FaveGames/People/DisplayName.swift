/// A person's name on pages: in any script, on one line, 1 to 80 characters.
public struct DisplayName: Hashable, Sendable {
    public static let limit = 80

    public let text: String

    /// Cleans a name that someone typed: folds white space and control characters, and removes
    /// characters that change the direction of the text around them.
    ///
    /// - Returns: `nil` if no visible character is left, or more than `limit` characters are left.
    public init?(_ text: String) {
        guard let line = OneLine.clean(text, limit: Self.limit), !line.isEmpty else { return nil }
        self.text = line
    }
}

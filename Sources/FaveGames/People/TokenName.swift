/// The name that a user gives to a personal token: in any script, on one line, 1 to 60 characters.
public struct TokenName: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 60

    public let text: String

    /// Cleans a name that someone typed, as `DisplayName` does.
    ///
    /// - Returns: `nil` if no visible character is left, or more than `limit` characters are left.
    public init?(_ text: String) {
        guard let line = OneLine.clean(text, limit: Self.limit), !line.isEmpty else { return nil }
        self.text = line
    }
}

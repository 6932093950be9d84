/// What an operator tells people while they can only read: in any script, on one line.
public struct MaintenanceMessage: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 300

    public let text: String

    /// Cleans a text that someone typed, as `DisplayName` does.
    ///
    /// - Returns: `nil` if no visible character is left, or more than `limit` characters are left.
    public init?(_ text: String) {
        guard let line = OneLine.clean(text, limit: Self.limit), !line.isEmpty else { return nil }
        self.text = line
    }
}

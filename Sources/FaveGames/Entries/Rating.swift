/// How much someone loves a game on their list: 1 to 5.
public struct Rating: Hashable, Sendable {
    public static let range = 1...5

    public let value: Int

    /// - Returns: `nil` if the value is not in `range`.
    public init?(_ value: Int) {
        guard Self.range.contains(value) else { return nil }
        self.value = value
    }
}

import Encodings

/// The end of the address of a snapshot: the year, such as 2026, or the year and a number,
/// such as 2026-2.
public struct SnapshotSlug: Hashable, Sendable, CustomStringConvertible {
    /// As PostgreSQL checks it, and as an ECMA-262 regular expression. Other addresses below that of
    /// a list don't begin with a digit.
    public static let pattern = "^[1-9][0-9]{3}(-([2-9]|[1-9][0-9]))?$"

    public let description: String

    /// - Returns: `nil` if it is anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard Int(decimal: parts[0], digits: 4...4) != nil, parts.count <= 2,
            parts.count == 1 || Int(decimal: parts[1], digits: 1...2).map({ $0 >= 2 }) == true
        else { return nil }
        description = text
    }
}

import Encodings

/// The end of the address of a snapshot: for one of a year, that year, such as 2026, and for others,
/// the year in which it was taken and a number, such as 2026-1.
public struct SnapshotSlug: Hashable, Sendable, CustomStringConvertible {
    /// As PostgreSQL checks it, and as an ECMA-262 regular expression. Other addresses below that of
    /// a list don't begin with a digit.
    public static let pattern = "^[1-9][0-9]{3}(-[1-9][0-9]?)?$"

    public let description: String

    /// - Returns: `nil` if it is anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard Int(decimal: parts[0], digits: 4...4) != nil, parts.count <= 2,
            parts.count == 1 || Int(decimal: parts[1], digits: 1...2).map({ $0 >= 1 }) == true
        else { return nil }
        description = text
    }
}

/// The end of a circle's address, such as thursday-club.
public struct CircleSlug: Hashable, Sendable, CustomStringConvertible {
    public static let limit = 60
    /// As PostgreSQL checks it, and as an ECMA-262 regular expression.
    public static let pattern = "^[a-z0-9]+(-[a-z0-9]+)*$"

    public let description: String

    /// Reads the end of an address. Capital letters don't matter.
    ///
    /// - Returns: `nil` if the text doesn't match `pattern`, or is too long.
    public init?(_ text: String) {
        let text = text.lowercased()
        guard text.utf8.count <= Self.limit,
            text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
                .allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAllowed) })
        else { return nil }
        description = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

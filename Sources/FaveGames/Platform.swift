import Encodings

/// A system that games run on. Its id is IGDB's.
public struct Platform: Hashable, Sendable {
    public let id: Int
    /// The platform's name in paths: lower-case letters, digits and hyphens. It has at least one
    /// letter, so that it cannot be mistaken for an id.
    public let slug: String
    public let name: String
    public let abbreviation: String?

    public init(id: Int, slug: String, name: String, abbreviation: String?) {
        self.id = id
        self.slug = slug
        self.name = name
        self.abbreviation = abbreviation
    }
}

/// How a path or a query names a platform.
public enum PlatformReference: Hashable, Sendable {
    case id(Int)
    case slug(String)

    /// - Returns: `nil` if the text can be neither.
    public init?(_ text: String) {
        if let id = GameID.parse(text) {
            self = .id(id)
        } else if text.consists(
            of: { $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }, bytes: 1...64
        ) {
            self = .slug(text)
        } else {
            return nil
        }
    }
}

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
        } else if !text.isEmpty, text.utf8.count <= 64,
            text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isSlugCharacter })
        {
            self = .slug(text)
        } else {
            return nil
        }
    }
}

extension Character {
    fileprivate var isSlugCharacter: Bool {
        ("a"..."z").contains(self) || ("0"..."9").contains(self) || self == "-"
    }
}

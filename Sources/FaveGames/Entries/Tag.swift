import Foundation

/// A word or two for finding entries: in lower case, without commas, 1 to 30 characters.
public struct Tag: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 30
    /// Of what people type, with a hash sign before the tag.
    public static let textLimit = "#".count + limit

    public let text: String

    /// The commas of all scripts.
    fileprivate static let commas = ",，、،".unicodeScalars

    /// Cleans a tag that someone typed, and removes a hash sign before it.
    ///
    /// - Returns: `nil` if the tag is too long, has no letter, digit or emoji, or has a comma or
    ///   hash sign inside.
    public init?(_ text: String) {
        // By scalars, as PostgreSQL reads text: a comma with a combining mark after it is still a
        // comma.
        var scalars = OneLine.trim(OneLine.clean(text)).unicodeScalars
        if scalars.first == "#" { scalars.removeFirst() }
        let folded = OneLine.trim(OneLine.clean(String(scalars))).lowercased()
            .precomposedStringWithCanonicalMapping
        guard folded.unicodeScalars.count <= Self.limit,
            !folded.unicodeScalars.contains(where: { Self.commas.contains($0) || $0 == "#" }),
            folded.unicodeScalars.contains(where: Self.isVisible)
        else { return nil }
        self.text = folded
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        OneLine.isVisible(scalar)
            && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || scalar.properties.isEmoji)
    }
}

/// The tags of an entry: at most five, without duplicates, in the owner's order.
public struct Tags: Hashable, Sendable {
    public static let limit = 5
    /// Of a text with so many tags, and with commas and spaces between them.
    public static let textLimit = limit * (Tag.textLimit + ", ".count)

    public let tags: [Tag]

    public static let none = Tags(unchecked: [])

    /// A problem with an entry's tags.
    public enum Fault: Error, Hashable {
        case tooMany
        case notATag(String)
    }

    /// Cleans tags that someone typed, and removes empty and duplicate ones.
    public init(_ texts: [String]) throws(Fault) {
        var tags: [Tag] = []
        for text in texts where OneLine.isVisible(text) {
            guard let tag = Tag(text) else { throw .notATag(text) }
            guard !tags.contains(tag) else { continue }
            // Checked for each tag, because each is compared with all previous tags.
            guard tags.count < Self.limit else { throw .tooMany }
            tags.append(tag)
        }
        self.tags = tags
    }

    /// Reads the tags from one text, with commas between them: those of any script.
    public init(commaSeparated text: String) throws(Fault) {
        try self.init(
            text.unicodeScalars.split { Tag.commas.contains($0) }.map { String($0) })
    }

    private init(unchecked tags: [Tag]) { self.tags = tags }

    public var texts: [String] { tags.map(\.text) }
}

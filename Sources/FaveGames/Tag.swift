import Foundation

/// A word or two by which entries are found: in lower case, without commas, 1 to 30 characters.
public struct Tag: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 30

    public let text: String

    /// Takes a tag as someone typed it: a hash sign before it goes.
    ///
    /// - Returns: `nil` if it is too long, has no letter, digit or symbol, or a comma or hash sign
    ///   inside.
    public init?(_ text: String) {
        // By scalars, as PostgreSQL sees it: a mark behind a comma makes no other character of it.
        var scalars = OneLine.clean(text).unicodeScalars
        if scalars.first == "#" { scalars.removeFirst() }
        let folded = OneLine.clean(String(scalars)).lowercased()
            .precomposedStringWithCanonicalMapping
        guard folded.unicodeScalars.count <= Self.limit,
            !folded.unicodeScalars.contains(where: { $0 == "," || $0 == "#" }),
            folded.unicodeScalars.contains(where: Self.isVisible)
        else { return nil }
        self.text = folded
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || scalar.properties.isEmoji
    }
}

/// The tags of an entry: at most five, each once, in the owner's order.
public struct Tags: Hashable, Sendable {
    public static let limit = 5

    public let tags: [Tag]

    public static let none = Tags(unchecked: [])

    /// What is wrong with tags.
    public enum Fault: Error, Hashable, CustomStringConvertible {
        case tooMany
        case notATag(String)

        public var description: String {
            switch self {
            case .tooMany: "There can be at most \(Tags.limit) tags."
            case .notATag(let text):
                "“\(text.prefix(40))” can't be a tag: a tag has 1 to \(Tag.limit) characters and "
                    + "no comma or hash sign inside."
            }
        }
    }

    /// Takes tags as someone typed them. Empty ones and repetitions go.
    public init(_ texts: [String]) throws(Fault) {
        var tags: [Tag] = []
        for text in texts where text.contains(where: { !$0.isWhitespace }) {
            guard let tag = Tag(text) else { throw .notATag(text) }
            if !tags.contains(tag) { tags.append(tag) }
        }
        guard tags.count <= Self.limit else { throw .tooMany }
        self.tags = tags
    }

    /// Takes one text with commas between the tags.
    public init(commaSeparated text: String) throws(Fault) {
        try self.init(text.unicodeScalars.split(separator: ",").map { String($0) })
    }

    private init(unchecked tags: [Tag]) { self.tags = tags }

    public var texts: [String] { tags.map(\.text) }
}

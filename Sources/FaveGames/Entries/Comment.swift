/// Why someone loves a game: plain text with line breaks.
public struct Comment: Hashable, Sendable {
    /// In Unicode scalars, as PostgreSQL counts characters.
    public static let limit = 1000

    public let text: String

    public static let empty = Comment(unchecked: "")

    /// Cleans a text that someone typed. Line ends become single line feeds and tabs become spaces.
    /// Other control characters are removed, and so is white space at both ends. Without a visible
    /// character, it is empty.
    ///
    /// - Throws: `commentTooLong` if more than `limit` characters are left.
    public init(_ text: String) throws(ListError) {
        var scalars = String.UnicodeScalarView()
        var previousWasReturn = false
        for scalar in text.unicodeScalars {
            defer { previousWasReturn = scalar == "\r" }
            switch scalar {
            case "\n": if !previousWasReturn { scalars.append("\n") }
            case "\r", "\u{2028}", "\u{2029}": scalars.append("\n")
            case "\t": scalars.append(" ")
            case _ where scalar.properties.generalCategory == .control: break
            default: scalars.append(scalar)
            }
        }
        let view = scalars
        guard let first = view.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = view.lastIndex(where: { !$0.properties.isWhitespace }),
            view.contains(where: OneLine.isVisible)
        else {
            self.text = ""
            return
        }
        let trimmed = view[first...last]
        guard trimmed.count <= Self.limit else {
            throw ListError.commentTooLong(characters: trimmed.count)
        }
        self.text = String(trimmed)
    }

    private init(unchecked text: String) { self.text = text }
}

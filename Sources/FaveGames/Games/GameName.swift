package import Languages

/// A further name of a game: in another language, an abbreviation, or a title that it had elsewhere.
public struct GameName: Hashable, Sendable {
    /// At most `limit` characters.
    public let name: String
    /// The language whose readers know the game by the name; `nil` for other names.
    package let language: Language?

    public static let limit = 200
    /// The most further names of one game.
    public static let countLimit = 60

    /// - Returns: `nil` if there is no name, or if it is too long.
    package init?(_ name: String, language: Language? = nil) {
        let name = OneLine.clean(name)
        guard !name.isEmpty, name.unicodeScalars.count <= Self.limit else { return nil }
        self.name = name
        self.language = language
    }
}

/// A further name of a game: in another language, an abbreviation, or a title that it had elsewhere.
public struct GameName: Hashable, Sendable {
    /// At most `limit` characters.
    public let name: String
    /// A language tag of BCP 47; `nil` if it is unknown, or if the name is for all languages.
    public let language: String?

    public static let limit = 200
    /// The most further names of one game.
    public static let countLimit = 60

    /// - Returns: `nil` if there is no name, or if it is too long.
    public init?(_ name: String, language: String? = nil) {
        let name = OneLine.clean(name)
        guard !name.isEmpty, name.unicodeScalars.count <= Self.limit else { return nil }
        self.name = name
        self.language = language
    }
}

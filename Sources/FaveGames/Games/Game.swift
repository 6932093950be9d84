import Encodings

/// A game's data from IGDB. Its id is IGDB's.
public struct Game: Hashable, Sendable {
    public let id: Int
    public let name: GameTitle
    /// The year of its first release on any platform.
    public let releaseYear: Int?
    /// The last part of the cover's address on IGDB's image host, without the size and the file
    /// extension.
    public let coverImageID: String?

    public init(id: Int, name: GameTitle, releaseYear: Int?, coverImageID: String?) {
        self.id = id
        self.name = name
        self.releaseYear = releaseYear
        self.coverImageID = coverImageID
    }
}

/// IGDB's numbers for games and platforms: positive and within PostgreSQL's `integer`.
public enum GameID {
    public static let range = 1...Int(Int32.max)

    /// The ids of games that an operator has added. IGDB's are far below.
    public static let own = 2_000_000_000...range.upperBound

    /// Reads a number from a path: decimal digits only, no sign, no leading zero.
    public static func parse(_ text: String) -> Int? {
        Int(decimal: text, digits: 1...10).flatMap { range.contains($0) ? $0 : nil }
    }
}

import Encodings
public import FaveGames
import JSON
import Languages

/// A game as IGDB describes it, with only the fields that we ask for.
public struct IGDBGame: Hashable, Sendable {
    public let id: Int
    public let name: String
    public let releaseYear: Int?
    public let coverImageID: String?
    public let platformIDs: [Int]
    /// `game_type`: for example, 0 for a main game and 1 for a DLC.
    public let type: Int
    /// Whether it is an edition of another game.
    public let isEdition: Bool
    public let ratingCount: Int
    /// Its further names: those in other languages and regions, abbreviations and former titles.
    public let names: [GameName]
    public let screenshotImageIDs: [String]
    /// Whether its theme is erotic; `nil` if IGDB tells of no theme.
    public let hasAdultTheme: Bool?
    /// Whether it is rated for adults only; `nil` if IGDB tells of no rating.
    ///
    /// Only the ESRB's rating AO says so. The highest ratings elsewhere, such as PEGI 18, are those of
    /// many well-known games. A game that is also rated M is sold in a version that isn't for adults
    /// only.
    public let hasAdultRating: Bool?

    static let fields = [
        "name", "first_release_date", "platforms", "cover.image_id", "game_type",
        "version_parent", "total_rating_count", "alternative_names.name",
        "game_localizations.name", "game_localizations.region.identifier", "screenshots.image_id",
        "themes", "age_ratings.rating_category.rating",
    ]

    /// IGDB's id of the theme Erotic.
    private static let eroticTheme = 42

    /// The ranges that the database has room for, which are wider than makes sense. A single value
    /// outside them must not prevent a whole response from being stored.
    private static let years = 1900...9999
    private static let types = 0...Int(Int16.max)

    /// - Returns: `nil` if the value has no id, or no name that we could show.
    init?(_ value: JSONValue) {
        guard case .object(let members) = value, case .int(let id)? = members["id"],
            (1...Int(Int32.max)).contains(id),
            let name = members["name"]?.text.map(OneLine.clean), !name.isEmpty
        else { return nil }
        self.id = id
        self.name = name
        // Seconds since 1970; negative for earlier dates.
        releaseYear = members["first_release_date"]?.integer
            .map { Self.year(secondsSince1970: $0) }
            .flatMap { Self.years.contains($0) ? $0 : nil }
        coverImageID = members["cover"]?["image_id"]?.text.flatMap(Self.imageID)
        platformIDs =
            members["platforms"]?.elements.compactMap { $0["id"]?.integer ?? $0.integer }
            .filter { (1...Int(Int32.max)).contains($0) } ?? []
        type = members["game_type"]?.integer.flatMap { Self.types.contains($0) ? $0 : nil } ?? 0
        isEdition = members["version_parent"]?.integer != nil
        ratingCount = min(max(members["total_rating_count"]?.integer ?? 0, 0), Int(Int32.max))
        let localized = members["game_localizations"]?.elements ?? []
        let alternatives = members["alternative_names"]?.elements ?? []
        names = Array(
            (localized + alternatives).compactMap { value in
                value["name"]?.text.flatMap {
                    GameName(
                        $0,
                        language: (value["region"]?["identifier"]?.text).flatMap(
                            Language.init(closestTo:)))
                }
            }.prefix(GameName.countLimit))
        screenshotImageIDs =
            members["screenshots"]?.elements.compactMap {
                $0["image_id"]?.text.flatMap(Self.imageID)
            } ?? []
        let themes =
            members["themes"]?.elements.compactMap { $0["id"]?.integer ?? $0.integer } ?? []
        hasAdultTheme = themes.isEmpty ? nil : themes.contains(Self.eroticTheme)
        let ratings =
            members["age_ratings"]?.elements
            .compactMap { $0["rating_category"]?["rating"]?.text } ?? []
        hasAdultRating = ratings.isEmpty ? nil : ratings.contains("AO") && !ratings.contains("M")
    }

    /// Accepts only plain characters, because the id becomes part of an address.
    private static func imageID(_ text: String) -> String? {
        text.consists(
            of: { $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }, bytes: 1...64
        )
            ? text : nil
    }

    /// The year of a time, by the Gregorian calendar's 400-year cycle of 146,097 days.
    private static func year(secondsSince1970 seconds: Int) -> Int {
        let days = (Double(seconds) / 86_400).rounded(.down)
        // Days since 1 March of the year 0; Howard Hinnant's civil_from_days.
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // January and February belong to the next year.
        return yearOfEra + era * 400 + (dayOfYear >= 306 ? 1 : 0)
    }
}

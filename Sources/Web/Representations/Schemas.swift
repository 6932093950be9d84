import Endpoints
import FaveGames
import JSON

// The schemas of members that several representations, bodies and parameters have in common.
extension Schema {
    static let igdbGame = igdbID(example: 71)
    static let igdbPlatform = igdbID(example: 6)

    private static func igdbID(example: Int) -> Schema {
        var schema = integer(GameID.range, example: example)
        schema.note = "IGDB's number."
        return schema
    }

    /// A username as the server writes it.
    static let username = text(2...30, pattern: "^[a-z0-9_-]{2,30}$", example: "rob")
    /// A username as clients may write it.
    static let newUsername = text(2...31, pattern: "^@?[A-Za-z0-9_-]{2,30}$", example: "rob")
    /// A tag of RFC 5646.
    static let language = text(
        2...35, pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$", example: "en")
    static let displayName = text(1...DisplayName.limit, example: "Rob")
    static let bio = text(0...Bio.limit, example: "I play.")
    static let comment = text(0...Comment.limit, example: Example.comment)
    static let position = integer(1...FaveList.limit, example: 1)
    static let password = secret(text(example: "tulip staple 42"))
    static let newPassword = secret(text(8...128, example: "carpet lemon 17"))
    /// A secret, either in a link or stored by a program.
    static let token = secret(text(example: Example.secret))

    static func secret(_ schema: Schema) -> Schema {
        var schema = schema
        schema.isSecret = true
        return schema
    }

    static let rating = Schema(
        "Rating",
        [
            "type": "integer", "minimum": .int(Rating.range.lowerBound),
            "maximum": .int(Rating.range.upperBound),
            "description": "How much the user loves it; 5 is the most.",
        ], example: 5)

    static let tags = Schema(
        "Tags",
        array(
            of: text(1...Tag.limit, example: "puzzle"),
            "1 to \(Tag.limit) characters in lower case, without commas or hash signs.",
            atMost: Tags.limit
        ).keywords.merging(
            ["description": "In the owner's order, without duplicates, at most five."]
        ) { $1 }, example: ["puzzle"])

    static let newTags = Schema(
        "DraftTags",
        array(
            of: text(0...(Tag.limit + 1), example: "puzzle"),
            """
            1 to \(Tag.limit) characters without commas. Capitals become lower case, and a leading \
            hash sign is dropped, as are empty tags and duplicates.
            """, atMost: Tags.limit
        ).keywords.merging(["description": "At most five. None if omitted."]) { $1 },
        example: ["puzzle"])
}

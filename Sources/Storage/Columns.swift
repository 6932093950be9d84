import Encodings
public import FaveGames
public import Postgres

// The columns and readers of domain types that many statements return.

extension GameTitle {
    /// For statements where `g` is the game.
    package static let columns = Columns(
        ["g.name", "g.localized_names"]
    ) { row throws(PostgresError) in
        let main: String = try row.next()
        let localized: TextBytes = try row.next()
        return GameTitle(main, localized: localized.bytes)
    }
}

/// The bytes of a text. Making a string would check them, and most readers don't look at them.
private struct TextBytes: PostgresDecodable {
    let bytes: [UInt8]

    init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard type == .text else { return nil }
        self.bytes = Array(copying: bytes)
    }
}

extension Game {
    /// For statements where `g` is the game.
    package static let columns = Columns(
        ["g.id"] + GameTitle.columns.expressions + ["g.release_year", "g.cover_image_id"]
    ) { row throws(PostgresError) in
        try Game(
            id: row.next(), name: row.next(GameTitle.columns), releaseYear: row.next(),
            coverImageID: row.next())
    }
}

extension Platform {
    /// For statements where `p` is the platform.
    package static let columns = Columns(
        ["p.id", "p.slug", "p.name", "p.abbreviation"]
    ) { row throws(PostgresError) in
        try Platform(
            id: row.next(), slug: row.next(), name: row.next(), abbreviation: row.next())
    }
}

extension User {
    /// For statements that select from `tables`.
    package static let columns = Columns(
        [
            "u.id", "u.username", "u.display_name", "u.created_at", "l.updated_at", "u.bio",
            "u.visibility", "u.shows_ratings", "u.disabled_at IS NOT NULL", "u.role",
            "u.new_until", "u.hidden_visibility", "u.next_snapshot_year IS NOT NULL",
            "u.language",
        ]
    ) { row throws(PostgresError) in
        try User(
            id: row.next(), username: row.next(), displayName: row.next(), createdAt: row.next(),
            listUpdatedAt: row.next(), bio: row.next(), visibility: row.next(),
            showsRatings: row.next(), isDisabled: row.next(), role: row.next(),
            newUntil: row.next(), hiddenVisibility: row.next(), takesYearlySnapshots: row.next(),
            language: row.next())
    }

    package static let tables = "users u JOIN lists l ON l.user_id = u.id"
}

extension Entry {
    /// For statements where `e` is the entry, `u` its user, `g` its game, `p` its platform and `i`
    /// its included-by count. The rating is included if the user shows it.
    package static let columns = columns(rating: shownRating)

    /// The same for the user, who sees all ratings.
    static let ownColumns = columns(rating: "e.rating")

    fileprivate static let shownRating = "CASE WHEN u.shows_ratings THEN e.rating END"

    private static func columns(rating: String) -> Columns<Entry> {
        Columns(
            ["e.id", "e.position"] + Game.columns.expressions + Platform.columns.expressions + [
                "e.comment", rating, "e.tags", "coalesce(i.count, 0)", "e.created_at",
                "e.updated_at",
            ]
        ) { row throws(PostgresError) in
            try Entry(
                id: row.next(), position: row.next(), game: row.next(Game.columns),
                platform: row.next(Platform.columns), comment: row.next(), rating: row.next(),
                tags: row.next(), includedBy: row.next(), createdAt: row.next(),
                updatedAt: row.next())
        }
    }
}

extension Inclusion {
    /// For statements where `e` is the entry, `u` its user, `p` its platform and `h` its count of
    /// hearts.
    package static let columns = Columns(
        ["e.id", "u.id", "u.username", "u.display_name", "e.position"]
            + Platform.columns.expressions + [
                "e.comment", Entry.shownRating, "e.tags", "coalesce(h.count, 0)", "e.created_at",
                "e.updated_at",
            ]
    ) { row throws(PostgresError) in
        try Inclusion(
            id: row.next(), userID: row.next(), username: row.next(), displayName: row.next(),
            position: row.next(), platform: row.next(Platform.columns), comment: row.next(),
            rating: row.next(),
            tags: row.next(), hearts: row.next(), createdAt: row.next(), updatedAt: row.next())
    }
}

extension Rating: PostgresDecodable {
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard let value = Int(postgres: bytes, type: type) else { return nil }
        self.init(value)
    }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue == String {
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard let text = String(postgres: bytes, type: type) else { return nil }
        self.init(rawValue: text)
    }
}

extension CircleVisibility: PostgresDecodable {}
extension GameImport.State: PostgresDecodable {}
extension ImportFinding: PostgresDecodable {}
extension ModerationAction: PostgresDecodable {}
extension QueuedMail.Kind: PostgresDecodable {}
extension QueuedWebhook.Kind: PostgresDecodable {}
extension ReportReason: PostgresDecodable {}
extension ReportedKind: PostgresDecodable {}
extension Role: PostgresDecodable {}
extension SessionKind: PostgresDecodable {}
extension Visibility: PostgresDecodable {}

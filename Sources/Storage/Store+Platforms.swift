import FaveGames
import Postgres

extension Store {
    public func platform(_ reference: PlatformReference) async throws(PostgresError) -> Platform? {
        let rows =
            switch reference {
            case .id(let id): try await database.query(.platformByID, [.int(id)])
            case .slug(let slug): try await database.query(.platformBySlug, [.text(slug)])
            }
        guard let row = rows.first else { return nil }
        return try Platform(row, from: 0)
    }

    /// - Parameter ids: At most as many as one request may ask for; unknown ones are left out.
    public func platforms(ids: [Int]) async throws(PostgresError) -> [Platform] {
        try await platforms(.platformsByIDs, [.ints(ids)])
    }

    /// All platforms, by name.
    public func platforms() async throws(PostgresError) -> [Platform] {
        try await platforms(.allPlatforms, [])
    }

    /// Platforms whose name, abbreviation or slug contains the text, by name.
    public func platforms(matching search: SearchText) async throws(PostgresError) -> [Platform] {
        try await platforms(.platformsMatching, [.text(search.text)])
    }

    private func platforms(
        _ statement: Statement, _ parameters: [PostgresParameter]
    ) async throws(PostgresError) -> [Platform] {
        var platforms: [Platform] = []
        for row in try await database.query(statement, parameters) {
            platforms.append(try Platform(row, from: 0))
        }
        return platforms
    }

    /// Of the given platforms, or of all that have a ranking, the first games, in the order given
    /// or by name. A platform without a ranking is left out.
    public func platformTops(
        ids: [Int]? = nil, games limit: Int
    ) async throws(PostgresError) -> [PlatformTop] {
        let rows =
            if let ids {
                try await database.query(.topsOfPlatforms, [.ints(ids), .int(limit)])
            } else {
                try await database.query(.topsOfAllPlatforms, [.int(limit)])
            }
        var tops: [PlatformTop] = []
        var index = rows.startIndex
        while index < rows.endIndex {
            let platform = try Platform(rows[index], from: 0)
            var ranks = RankCounter()
            var games: [RankedGame] = []
            while index < rows.endIndex, try rows[index][0] == platform.id {
                let row = rows[index]
                let count: Int = try row[8]
                games.append(
                    RankedGame(
                        game: try Game(row, from: 4), rank: ranks.next(count: count),
                        includedBy: count))
                index += 1
            }
            tops.append(PlatformTop(platform: platform, games: games))
        }
        return tops
    }
}

extension Statement {
    static let platformByID = Statement(
        "platform_by_id", .read,
        "SELECT id, slug, name, abbreviation FROM platforms WHERE id = $1")

    static let platformBySlug = Statement(
        "platform_by_slug", .read,
        "SELECT id, slug, name, abbreviation FROM platforms WHERE slug = $1")

    static let platformsByIDs = Statement(
        "platforms_by_ids", .read,
        """
        SELECT id, slug, name, abbreviation FROM platforms
        WHERE id = ANY ($1::integer[]) ORDER BY name, id
        """)

    static let allPlatforms = Statement(
        "all_platforms", .read,
        "SELECT id, slug, name, abbreviation FROM platforms ORDER BY name, id")

    static let platformsMatching = Statement(
        "platforms_matching", .read,
        """
        SELECT id, slug, name, abbreviation FROM platforms
        WHERE fold(name || ' ' || coalesce(abbreviation, '') || ' ' || slug)
              LIKE '%' || like_escape(fold($1)) || '%'
        ORDER BY name, id
        """)

    private static let topGames = """
        CROSS JOIN LATERAL (
            SELECT i.game_id, i.count, i.sort_name
            FROM included_by i
            WHERE i.platform_id = p.id AND i.count > 0
            ORDER BY -i.count, i.sort_name, i.game_id
        """

    static let topsOfPlatforms = Statement(
        "tops_of_platforms", .read,
        """
        SELECT p.id, p.slug, p.name, p.abbreviation,
               g.id, g.name, g.release_year, g.cover_image_id, t.count
        FROM unnest($1::integer[]) WITH ORDINALITY AS wanted (id, place)
        JOIN platforms p ON p.id = wanted.id
        \(topGames)
            LIMIT $2
        ) t
        JOIN games g ON g.id = t.game_id
        ORDER BY wanted.place, -t.count, t.sort_name, t.game_id
        """)

    static let topsOfAllPlatforms = Statement(
        "tops_of_all_platforms", .read,
        """
        SELECT p.id, p.slug, p.name, p.abbreviation,
               g.id, g.name, g.release_year, g.cover_image_id, t.count
        FROM platforms p
        \(topGames)
            LIMIT $1
        ) t
        JOIN games g ON g.id = t.game_id
        ORDER BY p.name, p.id, -t.count, t.sort_name, t.game_id
        """)
}

/// Gives ranks to counts that come in falling order; equal counts share one.
struct RankCounter {
    private var rank = 0
    private(set) var position = 0
    private var count: Int?

    init() {}

    /// Goes on behind `position` games, with one that is included by `count`.
    ///
    /// - Parameter above: How many are included by more.
    init(position: Int, above: Int, count: Int) {
        rank = above + 1
        self.position = position
        self.count = count
    }

    /// Goes on behind a page.
    init(after cursor: RankingCursor) {
        rank = cursor.rank
        position = cursor.position
        count = cursor.includedBy
    }

    mutating func next(count: Int) -> Int {
        position += 1
        if count != self.count { rank = position }
        self.count = count
        return rank
    }
}

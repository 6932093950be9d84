public import FaveGames
import Freshness
public import Postgres

extension Store {
    public func platform(_ reference: PlatformReference) async throws(PostgresError) -> Platform? {
        switch reference {
        case .id(let id): try await database.query(Platforms.byID, [.int(id)]).first
        case .slug(let slug): try await database.query(Platforms.bySlug, [.text(slug)]).first
        }
    }

    /// - Parameter ids: At most as many as one request may ask for. Unknown ids are left out.
    public func platforms(ids: [Int]) async throws(PostgresError) -> [Platform] {
        try await database.query(Platforms.byIDs, [.ints(ids)])
    }

    /// All platforms, sorted by name.
    public func platforms() async throws(PostgresError) -> [Platform] {
        try await database.query(Platforms.all)
    }

    /// The platforms that have a ranking, sorted by name.
    public func rankedPlatforms() async throws(PostgresError) -> [Platform] {
        try await database.query(Platforms.ranked)
    }

    /// Platforms whose name, abbreviation or slug contains the text, sorted by name.
    public func platforms(matching search: SearchText) async throws(PostgresError) -> [Platform] {
        try await database.query(Platforms.matching, [.text(search.text)])
    }

    /// The top games of the given platforms, in the order given, or of all platforms, sorted by
    /// name. A platform without a ranking is left out.
    public func platformTops(
        ids: [Int]? = nil, games limit: Int
    ) async throws(PostgresError) -> [PlatformTop] {
        let tops =
            if let ids {
                try await database.query(Platforms.tops, [.ints(ids), .int(limit)])
            } else {
                try await database.query(Platforms.allTops, [.int(limit)])
            }
        return tops.map { platform, games in
            var ranks = RankCounter()
            return PlatformTop(
                platform: platform,
                games: games.map { game, count in
                    RankedGame(game: game, rank: ranks.next(count: count), includedBy: count)
                })
        }
    }
}

enum Platforms {
    static let byID = Query("platform_by_id", .read, Platform.columns, of: [.platforms]) {
        "SELECT \($0) FROM platforms p WHERE id = $1"
    }

    static let bySlug = Query("platform_by_slug", .read, Platform.columns, of: [.platforms]) {
        "SELECT \($0) FROM platforms p WHERE slug = $1"
    }

    static let byIDs = Query("platforms_by_ids", .read, Platform.columns, of: [.platforms]) {
        """
        SELECT \($0) FROM platforms p
        WHERE id = ANY ($1::integer[]) ORDER BY name, id
        """
    }

    static let all = Query("all_platforms", .read, Platform.columns, of: [.platforms]) {
        "SELECT \($0) FROM platforms p ORDER BY name, id"
    }

    static let ranked = Query(
        "ranked_platforms", .read, Platform.columns, of: [.platforms, .rankings]
    ) {
        """
        SELECT \($0)
        FROM platforms p
        CROSS JOIN LATERAL (
            -- One probe of the index for each platform, regardless of the number of ranked games.
            SELECT FROM included_by i WHERE i.platform_id = p.id AND i.count > 0
            ORDER BY -i.count LIMIT 1
        ) first
        ORDER BY p.name, p.id
        """
    }

    static let matching = Query("platforms_matching", .read, Platform.columns, of: [.platforms]) {
        """
        SELECT \($0) FROM platforms p
        WHERE fold(name || ' ' || coalesce(abbreviation, '') || ' ' || slug)
              LIKE '%' || like_escape(fold($1)) || '%'
        ORDER BY name, id
        """
    }

    private static let topColumns = columns(Game.columns, column("t.count", Int.self))

    private static let topGames = """
        CROSS JOIN LATERAL (
            SELECT i.game_id, i.count, i.sort_name
            FROM included_by i
            WHERE i.platform_id = p.id AND i.count > 0
            ORDER BY \(RankOrder("i").keyset)
        """

    static let tops = GroupedQuery(
        "tops_of_platforms", .read, by: Platform.columns, topColumns,
        of: [.platforms, .ranking(parameter: 1), .games()]
    ) {
        """
        SELECT \($0)
        FROM unnest($1::integer[]) WITH ORDINALITY AS wanted (id, place)
        JOIN platforms p ON p.id = wanted.id
        \(topGames)
            LIMIT $2
        ) t
        JOIN games g ON g.id = t.game_id
        ORDER BY wanted.place, \(RankOrder("t").keyset)
        """
    }

    static let allTops = GroupedQuery(
        "tops_of_all_platforms", .read, by: Platform.columns, topColumns,
        of: [.platforms, .rankings, .games()]
    ) {
        """
        SELECT \($0)
        FROM platforms p
        \(topGames)
            LIMIT $1
        ) t
        JOIN games g ON g.id = t.game_id
        ORDER BY p.name, p.id, \(RankOrder("t").keyset)
        """
    }
}

public import Foundation
import Freshness
public import Postgres

/// How much one part of a sitemap may hold; the protocol allows 50,000 addresses.
enum SitemapBounds {
    static let gameIDs = 10_000
    /// Blocks of the table of users. Each row takes at least 68 bytes, including its pointer, so
    /// there are at most 120 rows in a block, and 4,800 in a part.
    static let userBlocks = 40
    static let parts = 5_000
}

/// The parts of a sitemap.
package struct SitemapParts: Sendable {
    /// The numbers of the parts that list people.
    package let lists: Range<Int>
    /// The numbers of the parts that list games.
    package let games: [Int]
}

extension Store {
    /// The numbers of all parts. No rows are counted, so the cost does not depend on the number of
    /// lists.
    package func sitemapParts() async throws(PostgresError) -> SitemapParts {
        let lists = try await database.row(SitemapQueries.listParts)
        let games = try await database.query(SitemapQueries.gameParts)
        return SitemapParts(lists: 0..<lists, games: games)
    }

    /// The public lists in one part. Empty lists are left out.
    public func publicLists(
        sitemapPart part: Int
    ) async throws(PostgresError) -> [(username: String, updatedAt: Date?)] {
        try await database.query(SitemapQueries.lists, [.int(part)])
            .map { (username: $0, updatedAt: $1) }
    }

    /// The ids of the games in one part that are on lists.
    public func includedGames(sitemapPart part: Int) async throws(PostgresError) -> [Int] {
        try await database.query(SitemapQueries.games, [.int(part)])
    }

    /// When each game was last added to a public list, by the games' ids.
    public func latestInclusions(
        platform: Int, games: [Int]
    ) async throws(PostgresError) -> [Int: Date] {
        let times = try await database.query(
            SitemapQueries.latestInclusions, [.int(platform), .ints(games)])
        return Dictionary(times, uniquingKeysWith: { first, _ in first })
    }
}

enum SitemapQueries {
    /// The number of parts with people in them, derived from the size of the table of users.
    static let listParts = Query(
        "sitemap_list_parts", .longRead,
        column(
            """
            CASE WHEN (SELECT user_id FROM lists
                       WHERE updated_at IS NOT NULL AND audience = 'public'
                       ORDER BY updated_at DESC LIMIT 1) IS NOT NULL
                 THEN least((blocks + \(SitemapBounds.userBlocks - 1))
                            / \(SitemapBounds.userBlocks), \(SitemapBounds.parts))
                 ELSE 0 END
            """, Int.self), of: [.users, .lists]
    ) {
        """
        SELECT \($0)
        FROM (
            SELECT pg_relation_size('users'::regclass)
                   / current_setting('block_size')::bigint AS blocks
        ) size
        """
    }

    /// Jumps from the first game of a part to the first game of the next, without reading the games
    /// in between.
    static let gameParts = Query(
        "sitemap_game_parts", .longRead, column("part", Int.self), of: [.rankings]
    ) {
        """
        WITH RECURSIVE parts (part) AS (
            (SELECT game_id / \(SitemapBounds.gameIDs) FROM included_by
             WHERE count > 0 ORDER BY game_id LIMIT 1)
            UNION ALL
            SELECT next.part
            FROM parts CROSS JOIN LATERAL (
                SELECT i.game_id / \(SitemapBounds.gameIDs) AS part
                FROM included_by i
                WHERE i.count > 0
                  AND i.game_id >= (parts.part + 1)::bigint * \(SitemapBounds.gameIDs)
                ORDER BY i.game_id LIMIT 1
            ) next
        )
        SELECT \($0) FROM parts LIMIT \(SitemapBounds.parts)
        """
    }

    /// A part is a range of the table's blocks, and nothing else is read. Parts of equal size in
    /// the order of ids or names would need counting to find where each begins. Ranges of ids would
    /// differ in size, because ids are not spread evenly. A row may move to another part when it is
    /// updated.
    static let lists = Query(
        "sitemap_lists", .longRead,
        columns(column("u.username", String.self), column("l.updated_at", Date?.self)),
        of: [.users, .lists, .entries]
    ) {
        """
        SELECT \($0)
        FROM users u JOIN lists l ON l.user_id = u.id
        WHERE u.ctid >= format('(%s,0)', $1::bigint * \(SitemapBounds.userBlocks))::tid
          AND u.ctid < format('(%s,0)', ($1::bigint + 1) * \(SitemapBounds.userBlocks))::tid
          AND u.visibility = 'public' AND u.disabled_at IS NULL AND u.new_until IS NULL
          AND EXISTS (SELECT FROM entries e WHERE e.user_id = u.id AND e.audience = 'public')
        """
    }

    static let games = Query(
        "sitemap_games", .longRead, column("game_id", Int.self), of: [.rankings]
    ) {
        """
        SELECT DISTINCT \($0) FROM included_by
        WHERE count > 0 AND game_id >= $1::bigint * \(SitemapBounds.gameIDs)
          AND game_id < ($1::bigint + 1) * \(SitemapBounds.gameIDs)
        ORDER BY game_id
        """
    }

    static let latestInclusions = Query(
        "latest_inclusions", .read,
        columns(column("wanted.game", Int.self), column("latest.created_at", Date.self)),
        of: [.games(parameter: 2)]
    ) {
        """
        SELECT \($0)
        FROM unnest($2::integer[]) AS wanted (game)
        CROSS JOIN LATERAL (
            SELECT e.created_at FROM entries e
            WHERE e.platform_id = $1 AND e.game_id = wanted.game AND e.audience = 'public'
            ORDER BY e.created_at DESC, e.id DESC
            LIMIT 1
        ) latest
        """
    }
}

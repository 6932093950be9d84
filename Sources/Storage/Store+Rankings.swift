import FaveGames
import Foundation
import Postgres

extension Store {
    /// A page of a platform's ranking, in one statement.
    ///
    /// - Parameters:
    ///   - limit: How many games, within `Ranking.pageSizes`.
    ///   - quotes: How many comments for each game, the latest; within `Ranking.quoteLimits`.
    public func ranking(
        platform: Int, limit: Int, quotes: Int, after cursor: RankingCursor? = nil
    ) async throws(PostgresError) -> Ranking {
        let rows =
            if let cursor {
                try await database.query(
                    .rankingAfter,
                    [
                        .int(platform), .int(limit + 1), .int(quotes), .int(-cursor.includedBy),
                        .text(cursor.sortName), .int(cursor.gameID),
                    ])
            } else {
                try await database.query(.ranking, [.int(platform), .int(limit + 1), .int(quotes)])
            }
        var games: [RankedGame] = []
        var ranks = cursor.map(RankCounter.init(after:)) ?? RankCounter()
        var next: RankingCursor?
        // A game has one row for each of its quotes, or one without.
        for row in rows {
            let gameID: Int = try row[0]
            if games.last?.game.id != gameID {
                guard games.count < limit else { break }
                let count: Int = try row[4]
                let rank = ranks.next(count: count)
                games.append(
                    RankedGame(game: try Game(row, from: 0), rank: rank, includedBy: count))
                next = RankingCursor(
                    includedBy: count, sortName: try row[5], gameID: gameID, rank: rank,
                    position: (cursor?.position ?? 0) + games.count)
            }
            if let comment: String = try row[6] {
                games[games.count - 1].quotes.append(
                    Quote(username: try row[7], displayName: try row[8], comment: comment))
            }
        }
        let lastID: Int? = if let last = rows.last { try last[0] } else { nil }
        return Ranking(games: games, next: lastID == games.last?.game.id ? nil : next)
    }

    /// Who includes a game on a platform, the latest first; with no platform, on any. Only public
    /// lists, while counts are of all that are not private.
    ///
    /// - Parameter limit: At most 100.
    public func inclusions(
        game: Int, platform: Int?, limit: Int, after cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> Inclusions {
        let statement: Statement = platform == nil ? .inclusionsAnywhere : .inclusions
        let rows = try await database.query(
            statement,
            [
                .int(game), .int(platform), .int(limit + 1),
                .int(cursor?.createdAt ?? Self.endOfTime),
                .uuid(cursor?.id ?? Self.lastUUID),
            ])
        var entries: [Inclusion] = []
        var next: InclusionCursor?
        for row in rows.prefix(limit) {
            entries.append(try Inclusion(row))
            next = InclusionCursor(createdAt: try row[7], id: try row[0])
        }
        return Inclusions(entries: entries, next: rows.count > limit ? next : nil)
    }

    /// The end of the year 9999, in microseconds since 1970.
    static let endOfTime = 253_402_300_799_000_000

    static let lastUUID = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))

    /// Where a game stands on each of its platforms, the most often included first.
    public func standings(
        game: Int, platform: Int? = nil
    ) async throws(PostgresError) -> [GameStanding] {
        var standings: [GameStanding] = []
        for row in try await database.query(.standings, [.int(game), .int(platform)]) {
            let count: Int = try row[4]
            standings.append(
                GameStanding(
                    platform: try Platform(row, from: 0), includedBy: count,
                    rank: count > 0 ? try row[5] + 1 : nil, isTied: try row[6] > 1,
                    highestCount: try row[7]))
        }
        return standings
    }
}

extension Statement {
    private static func ranking(_ name: String, where condition: String) -> Statement {
        Statement(
            name, .read,
            """
            SELECT g.id, g.name, g.release_year, g.cover_image_id, t.count, t.sort_name,
                   q.comment, q.username, q.display_name
            FROM (
                SELECT i.game_id, i.count, i.sort_name
                FROM included_by i
                WHERE i.platform_id = $1 AND i.count > 0\(condition)
                ORDER BY -i.count, i.sort_name, i.game_id
                LIMIT $2
            ) t
            JOIN games g ON g.id = t.game_id
            LEFT JOIN LATERAL (
                SELECT e.comment, u.username, u.display_name, e.created_at, e.id
                FROM entries e JOIN users u ON u.id = e.user_id
                WHERE e.platform_id = $1 AND e.game_id = t.game_id
                  AND e.comment <> '' AND e.audience = 'public'
                ORDER BY e.created_at DESC, e.id DESC
                LIMIT $3
            ) q ON true
            ORDER BY -t.count, t.sort_name, t.game_id, q.created_at DESC, q.id DESC
            """)
    }

    /// `$1` platform, `$2` games, `$3` comments for each.
    public static let ranking = ranking("ranking", where: "")

    /// `$4`…`$6`: the negated count, sort name and id of the last game of the page before.
    static let rankingAfter = ranking(
        "ranking_after",
        where: "\n      AND (-i.count, i.sort_name, i.game_id) > ($4, $5, $6)")

    private static func inclusions(_ name: String, where condition: String) -> Statement {
        Statement(
            name, .read,
            """
            SELECT \(inclusionColumns)
            FROM (
                SELECT * FROM entries
                WHERE game_id = $1 AND \(condition) AND audience = 'public'
                  AND (created_at, id)
                      < (timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5::uuid)
                ORDER BY created_at DESC, id DESC
                LIMIT $3
            ) e
            JOIN users u ON u.id = e.user_id
            JOIN platforms p ON p.id = e.platform_id
            ORDER BY e.created_at DESC, e.id DESC
            """)
    }

    static let inclusions = inclusions("inclusions", where: "platform_id = $2::integer")

    static let inclusionsAnywhere = inclusions(
        "inclusions_anywhere", where: "$2::integer IS NULL")

    static let standings = Statement(
        "standings", .read,
        """
        SELECT p.id, p.slug, p.name, p.abbreviation, coalesce(i.count, 0),
               above.games, level.games, top.count
        FROM game_platforms gp
        JOIN platforms p ON p.id = gp.platform_id
        LEFT JOIN included_by i
               ON (i.platform_id, i.game_id) = (gp.platform_id, gp.game_id) AND i.count > 0
        CROSS JOIN LATERAL (
            SELECT count(*) AS games FROM included_by o
            WHERE o.platform_id = i.platform_id AND o.count > 0 AND -o.count < -i.count
        ) above
        CROSS JOIN LATERAL (
            SELECT count(*) AS games FROM (
                SELECT FROM included_by o
                WHERE o.platform_id = i.platform_id AND o.count > 0 AND -o.count = -i.count
                LIMIT 2
            ) two
        ) level
        CROSS JOIN LATERAL (
            SELECT coalesce(max(first.count), 0) AS count FROM (
                SELECT o.count FROM included_by o
                WHERE o.platform_id = p.id AND o.count > 0
                ORDER BY -o.count LIMIT 1
            ) first
        ) top
        WHERE gp.game_id = $1 AND ($2::integer IS NULL OR gp.platform_id = $2::integer)
        ORDER BY coalesce(i.count, 0) DESC, p.name, p.id
        """)
}

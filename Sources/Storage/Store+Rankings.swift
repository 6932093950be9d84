import FaveGames
import Foundation
import Postgres

extension Store {
    /// A page of a platform's ranking, in one statement; one that lies before its cursor needs
    /// another one, for its ranks.
    ///
    /// - Parameters:
    ///   - limit: How many games, within `Ranking.pageSizes`.
    ///   - quotes: How many comments for each game, the latest; within `Ranking.quoteLimits`.
    ///   - cursor: One of this platform's ranking.
    public func ranking(
        platform: Int, limit: Int, quotes: Int, at cursor: RankingCursor? = nil
    ) async throws(PostgresError) -> Ranking {
        let rows =
            if let cursor {
                try await database.query(
                    cursor.direction == .after ? .rankingAfter : .rankingBefore,
                    [
                        .int(platform), .int(limit + 1), .int(quotes), .int(-cursor.includedBy),
                        .text(cursor.sortName), .int(cursor.gameID),
                    ])
            } else {
                try await database.query(.ranking, [.int(platform), .int(limit + 1), .int(quotes)])
            }
        let page = PageSlice(try RankedRow.read(rows), limit: limit, cursor?.direction)
        guard let first = page.items.first, let last = page.items.last else {
            return Ranking(games: [], next: nil)
        }
        var ranks = try await ranks(of: first, on: platform, at: cursor)
        let position = ranks.position
        let games = page.items.map { row in
            RankedGame(
                game: row.game, rank: ranks.next(count: row.count), includedBy: row.count,
                quotes: row.quotes)
        }
        return Ranking(
            games: games,
            next: page.hasNext
                ? last.cursor(
                    .after, on: platform, rank: games[games.count - 1].rank,
                    position: ranks.position) : nil,
            previous: page.hasPrevious
                ? first.cursor(
                    .before, on: platform, rank: games[0].rank, position: position + 1) : nil)
    }

    /// What the ranks of a page begin with.
    private func ranks(
        of first: RankedRow, on platform: Int, at cursor: RankingCursor?
    ) async throws(PostgresError) -> RankCounter {
        guard let cursor else { return RankCounter() }
        guard cursor.direction == .before else { return RankCounter(after: cursor) }
        let row = try await database.query(
            .rankingPlace,
            [.int(platform), .int(-first.count), .text(first.sortName), .int(first.game.id)])[0]
        return RankCounter(position: try row[0], above: try row[1], count: first.count)
    }

    /// Who includes a game on a platform, the latest first; with no platform, on any. Only public
    /// lists, while counts are of all that are not private.
    ///
    /// - Parameter limit: At most 100.
    public func inclusions(
        game: Int, platform: Int?, limit: Int, at cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> Inclusions {
        let statement: Statement =
            switch cursor?.direction {
            case .before: platform == nil ? .inclusionsAnywhereBefore : .inclusionsBefore
            case .after, nil: platform == nil ? .inclusionsAnywhere : .inclusions
            }
        let rows = try await database.query(
            statement,
            [
                .int(game), .int(platform), .int(limit + 1),
                .int(cursor?.createdAt ?? Self.endOfTime),
                .uuid(cursor?.id ?? .last),
            ])
        let page = PageSlice(Array(rows), limit: limit, cursor?.direction)
        var entries: [Inclusion] = []
        for row in page.items { entries.append(try Inclusion(row)) }
        let (next, previous) = try page.cursors(from: cursor)
        return Inclusions(entries: entries, next: next, previous: previous)
    }

    /// The end of the year 9999, in microseconds since 1970.
    static let endOfTime = 253_402_300_799_000_000

    /// A game's rank on each of its platforms, the most often included first.
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

/// A game of a ranking as it is read.
private struct RankedRow {
    let game: Game
    let count: Int
    let sortName: String
    var quotes: [Quote] = []

    /// A game has one row for each of its quotes, or one without.
    static func read(_ rows: Rows) throws(PostgresError) -> [RankedRow] {
        var games: [RankedRow] = []
        for row in rows {
            if try games.last?.game.id != row[0] {
                games.append(
                    RankedRow(
                        game: try Game(row, from: 0), count: try row[4], sortName: try row[5]))
            }
            if let comment: String = try row[6] {
                games[games.count - 1].quotes.append(
                    Quote(username: try row[7], displayName: try row[8], comment: comment))
            }
        }
        return games
    }

    func cursor(
        _ direction: PageDirection, on platform: Int, rank: Int, position: Int
    ) -> RankingCursor {
        RankingCursor(
            direction, platformID: platform, includedBy: count, sortName: sortName, gameID: game.id,
            rank: rank,
            position: position)
    }
}

extension PageSlice where Item == Row {
    /// Where the pages beside this one are, whose rows begin with `Statement.inclusionColumns`.
    func cursors(
        from cursor: InclusionCursor?
    ) throws(PostgresError) -> (next: InclusionCursor?, previous: InclusionCursor?) {
        guard let first = items.first, let last = items.last else {
            guard let back = cursor?.reversed else { return (nil, nil) }
            return back.direction == .after ? (back, nil) : (nil, back)
        }
        return (
            hasNext ? try InclusionCursor(.after, last) : nil,
            hasPrevious ? try InclusionCursor(.before, first) : nil
        )
    }
}

extension InclusionCursor {
    /// Reads `Statement.inclusionColumns`.
    init(_ direction: PageDirection, _ row: Row) throws(PostgresError) {
        self.init(direction, createdAt: try row[7], id: try row[0])
    }
}

extension PageDirection {
    /// How what is asked for compares with the cursor, where the order falls.
    var comparison: String { self == .after ? "<" : ">" }
    /// Where the order falls.
    var order: String { self == .after ? "DESC" : "ASC" }
    var reverse: PageDirection { self == .after ? .before : .after }
    /// What a statement's name ends with.
    var suffix: String { self == .after ? "" : "_before" }
}

extension Statement {
    private static func ranking(
        _ name: String, where condition: String = "",
        order: String = "-i.count, i.sort_name, i.game_id"
    ) -> Statement {
        Statement(
            name, .read,
            """
            SELECT g.id, g.name, g.release_year, g.cover_image_id, t.count, t.sort_name,
                   q.comment, q.username, q.display_name
            FROM (
                SELECT i.game_id, i.count, i.sort_name
                FROM included_by i
                WHERE i.platform_id = $1 AND i.count > 0\(condition)
                ORDER BY \(order)
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
    public static let ranking = ranking("ranking")

    /// `$4`…`$6`: the negated count, sort name and id of the last game of the page before.
    static let rankingAfter = ranking(
        "ranking_after",
        where: "\n      AND (-i.count, i.sort_name, i.game_id) > ($4, $5, $6)")

    /// `$4`…`$6`: of the first game of the page that comes next.
    static let rankingBefore = ranking(
        "ranking_before",
        where: "\n      AND (-i.count, i.sort_name, i.game_id) < ($4, $5, $6)",
        order: "-i.count DESC, i.sort_name DESC, i.game_id DESC")

    /// How many games of a platform precede one, and how many are included by more lists.
    static let rankingPlace = Statement(
        "ranking_place", .read,
        """
        SELECT count(*), count(*) FILTER (WHERE -count < $2)
        FROM included_by
        WHERE platform_id = $1 AND count > 0 AND (-count, sort_name, game_id) < ($2, $3, $4)
        """)

    private static func inclusions(
        _ name: String, _ direction: PageDirection, where condition: String
    ) -> Statement {
        Statement(
            name + direction.suffix, .read,
            """
            SELECT \(inclusionColumns)
            FROM (
                SELECT * FROM entries
                WHERE game_id = $1 AND \(condition) AND audience = 'public'
                  AND (created_at, id) \(direction.comparison)
                      (timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5::uuid)
                ORDER BY created_at \(direction.order), id \(direction.order)
                LIMIT $3
            ) e
            JOIN users u ON u.id = e.user_id
            JOIN platforms p ON p.id = e.platform_id
            ORDER BY e.created_at DESC, e.id DESC
            """)
    }

    static let inclusions = inclusions(
        "inclusions", .after, where: "platform_id = $2::integer")

    static let inclusionsBefore = inclusions(
        "inclusions", .before, where: "platform_id = $2::integer")

    static let inclusionsAnywhere = inclusions(
        "inclusions_anywhere", .after, where: "$2::integer IS NULL")

    static let inclusionsAnywhereBefore = inclusions(
        "inclusions_anywhere", .before, where: "$2::integer IS NULL")

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

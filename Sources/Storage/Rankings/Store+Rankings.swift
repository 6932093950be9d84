public import FaveGames
import Foundation
import Freshness
public import Postgres

extension Store {
    /// A page of a platform's ranking, read by one statement. A page before its cursor needs
    /// another statement, for its ranks.
    ///
    /// - Parameters:
    ///   - limit: The number of games, within `Ranking.pageSizes`.
    ///   - quotes: How many comments to read for each game, within `Ranking.quoteLimits`. Those
    ///     that enough people agree with come first, and then the latest.
    ///   - cursor: A cursor of this platform's ranking; `nil` for the first page.
    public func ranking(
        platform: Int, limit: Int, quotes: Int, at cursor: RankingCursor? = nil
    ) async throws(PostgresError) -> Ranking {
        let rows =
            if let cursor {
                try await database.query(
                    cursor.direction == .after ? Rankings.after : Rankings.before,
                    [
                        .int(platform), .int(limit + 1), .int(quotes), .int(-cursor.includedBy),
                        .text(cursor.sortName), .int(cursor.gameID),
                    ])
            } else {
                try await database.query(
                    Rankings.first, [.int(platform), .int(limit + 1), .int(quotes)])
            }
        let page = PageSlice(rows.map(RankedRow.init), limit: limit, cursor?.direction)
        guard let first = page.items.first, let last = page.items.last else {
            return Ranking(games: [], next: nil)
        }
        var ranks = try await ranks(
            of: first, shown: page.items.count, on: platform, at: cursor)
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

    /// The counter at the start of a page's ranks.
    ///
    /// - Parameters:
    ///   - first: The page's first game.
    ///   - shown: The number of games on the page.
    private func ranks(
        of first: RankedRow, shown: Int, on platform: Int, at cursor: RankingCursor?
    ) async throws(PostgresError) -> RankCounter {
        guard let cursor else { return RankCounter() }
        guard cursor.direction == .before else { return RankCounter(after: cursor) }
        let place: [PostgresParameter] = [
            .int(platform), .int(-first.count), .text(first.sortName), .int(first.game.id),
        ]
        let (counted, above) = try await database.row(Rankings.preceding, place)
        if counted <= Ranking.countedRanks {
            return RankCounter(position: counted, above: above, count: first.count)
        }
        // There are too many games to count, so the cursor determines where this page ends.
        let position = max(counted, cursor.position - 1 - shown)
        if first.count == cursor.includedBy {
            return RankCounter(position: position, above: cursor.rank - 1, count: first.count)
        }
        let tied = try await database.row(Rankings.tied, place)
        return RankCounter(
            position: position, above: max(above, position - tied), count: first.count)
    }

    /// The entries that include a game on a platform, or on any platform if that is `nil`, the
    /// latest first. Only public lists are read, while counts cover all lists that are not private.
    ///
    /// - Parameter limit: At most 100.
    public func inclusions(
        game: Int, platform: Int?, limit: Int, at cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> Inclusions {
        let query =
            switch cursor?.direction {
            case .before:
                platform == nil ? InclusionQueries.anywhereBefore : InclusionQueries.before
            case .after, nil: platform == nil ? InclusionQueries.anywhere : InclusionQueries.after
            }
        let found = try await database.query(
            query,
            [
                .int(game), .int(platform), .int(limit + 1),
                .int(cursor?.createdAt ?? Self.endOfTime),
                .uuid(cursor?.id ?? .last),
            ])
        let page = PageSlice(found, limit: limit, cursor?.direction)
        let (next, previous) = page.cursors(from: cursor, at: \.place)
        return Inclusions(
            entries: page.items.map(\.inclusion), next: next, previous: previous)
    }

    /// The entries for a game on public lists, on any platform if that is `nil`, whose comments
    /// enough people agree with. The comments with the most agreement come first.
    ///
    /// - Parameter limit: At most 10.
    public func agreedInclusions(
        game: Int, platform: Int?, limit: Int
    ) async throws(PostgresError) -> [Inclusion] {
        try await database.query(
            platform == nil ? InclusionQueries.agreedAnywhere : InclusionQueries.agreed,
            [.int(game), .int(platform), .int(limit)])
    }

    /// The end of the year 9999, in microseconds since 1970.
    static let endOfTime = 253_402_300_799_000_000

    /// A game's rank on each of its platforms. The platform with the highest count comes first.
    public func standings(
        game: Int, platform: Int? = nil
    ) async throws(PostgresError) -> [GameStanding] {
        try await database.query(Rankings.standings, [.int(game), .int(platform)])
    }
}

/// A game of a ranking, as read from the database.
private struct RankedRow {
    let game: Game
    let count: Int
    let sortName: String
    let quotes: [Quote]

    init(_ found: (key: (game: Game, count: Int, sortName: String), values: [Quote])) {
        (game, count, sortName) = found.key
        quotes = found.values
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

extension PageSlice {
    /// The cursors of the next and the previous page.
    ///
    /// - Parameter place: Returns an item's place in the order of all items.
    func cursors(
        from cursor: InclusionCursor?, at place: (Item) -> (createdAt: Int, id: UUID)
    ) -> (next: InclusionCursor?, previous: InclusionCursor?) {
        guard let first = items.first, let last = items.last else {
            guard let back = cursor?.reversed else { return (nil, nil) }
            return back.direction == .after ? (back, nil) : (nil, back)
        }
        func beside(_ direction: PageDirection, _ item: Item) -> InclusionCursor {
            let (createdAt, id) = place(item)
            return InclusionCursor(direction, createdAt: createdAt, id: id)
        }
        return (hasNext ? beside(.after, last) : nil, hasPrevious ? beside(.before, first) : nil)
    }
}

extension PageDirection {
    /// How the wanted rows compare with the cursor, if the listing's order is descending.
    var comparison: String { self == .after ? "<" : ">" }
    /// How to sort the rows, if the listing's order is descending.
    var order: String { self == .after ? "DESC" : "ASC" }
    /// The suffix of a statement's name.
    var suffix: String { self == .after ? "" : "_before" }
}

enum Rankings {
    private static let order = RankOrder("i")

    private static let game = Columns<(game: Game, count: Int, sortName: String)>(
        Game.columns.expressions + ["t.count", "t.sort_name"]
    ) { row throws(PostgresError) in try (row.next(Game.columns), row.next(), row.next()) }

    private static let quote = Columns(
        ["q.user_id", "q.username", "q.display_name", "q.comment"]
    ) { row throws(PostgresError) in
        try Quote(
            userID: row.next(), username: row.next(), displayName: row.next(), comment: row.next())
    }

    /// Games with their quotes.
    typealias Ranked = GroupedQuery<(game: Game, count: Int, sortName: String), Quote>

    /// PostgreSQL takes a LIMIT that is a parameter for a tenth of all rows. A generic plan then
    /// looks so expensive that each execution is planned again, which takes longer than the ranking
    /// itself. So each such LIMIT has a constant one inside.
    private static func ranking(
        _ name: String, where condition: String = "", direction: String = "ASC"
    ) -> Ranked {
        let negated = RankOrder(negatedCount: "i.negated", name: "i.sort_name", id: "i.game_id")
        return Ranked(name, .read, by: game, quote, of: [.ranking(parameter: 1), .games()]) {
            """
            SELECT \($0)
            FROM (
                SELECT * FROM (
                    SELECT i.game_id, i.count, i.sort_name, -i.count AS negated
                    FROM included_by i
                    WHERE i.platform_id = $1 AND i.count > 0\(condition)
                    ORDER BY \(order.keyset(direction))
                    LIMIT \(Ranking.pageSizes.upperBound + 1)
                ) i
                ORDER BY \(negated.keyset(direction))
                LIMIT $2
            ) t
            JOIN games g ON g.id = t.game_id
            LEFT JOIN LATERAL (
                SELECT * FROM (
                    SELECT e.comment, e.user_id, u.username, u.display_name, e.agreed, e.created_at, e.id
                    FROM entries e JOIN users u ON u.id = e.user_id
                    WHERE e.platform_id = $1 AND e.game_id = t.game_id
                      AND e.comment <> '' AND e.audience = 'public'
                    ORDER BY e.agreed DESC, e.created_at DESC, e.id DESC
                    LIMIT \(Ranking.quoteLimits.upperBound)
                ) e
                ORDER BY e.agreed DESC, e.created_at DESC, e.id DESC
                LIMIT $3
            ) q ON true
            ORDER BY \(RankOrder("t").keyset), q.agreed DESC, q.created_at DESC, q.id DESC
            """
        }
    }

    /// `$1` is the platform, `$2` the number of games, and `$3` the number of comments for each.
    static let first = ranking("ranking")

    /// `$4`…`$6` are the negated count, sort name and id of the previous page's last game.
    static let after = ranking(
        "ranking_after",
        where: "\n      AND (\(order.keyset)) > ($4, $5, $6)")

    /// `$4`…`$6` are the negated count, sort name and id of the next page's first game.
    static let before = ranking(
        "ranking_before",
        where: "\n      AND (\(order.keyset)) < ($4, $5, $6)",
        direction: "DESC")

    /// How many games of a platform precede a given one, and how many of those have a higher count.
    /// No more than one game beyond the counted ranks is looked at.
    static let preceding = Query(
        "ranking_preceding", .read,
        columns(
            column("count(*)", Int.self),
            column("count(*) FILTER (WHERE \(order.isAbove("$2")))", Int.self)),
        of: [.ranking(parameter: 1)]
    ) {
        """
        SELECT \($0)
        FROM (
            SELECT i.* FROM included_by i
            WHERE i.platform_id = $1 AND i.count > 0 AND (\(order.keyset)) < ($2, $3, $4)
            ORDER BY \(order.keyset) LIMIT \(Ranking.countedRanks + 1)
        ) i
        """
    }

    /// How many games of a platform with the same count precede a given one.
    static let tied = Query(
        "ranking_tied", .read, column("count(*)", Int.self), of: [.ranking(parameter: 1)]
    ) {
        """
        SELECT \($0) FROM included_by i
        WHERE i.platform_id = $1 AND i.count > 0 AND \(order.isLevel(with: "$2"))
          AND (\(order.keyset)) < ($2, $3, $4)
        """
    }

    private static let standing = Columns(
        Platform.columns.expressions + [
            "coalesce(i.count, 0)",
            "CASE WHEN i.count > 0 AND \(RankOrder.isCounted) THEN counted.rank END",
            "level.games > 1", "top.count",
        ]
    ) { row throws(PostgresError) in
        try GameStanding(
            platform: row.next(Platform.columns), includedBy: row.next(), rank: row.next(),
            isTied: row.next(), highestCount: row.next())
    }

    static let standings = Query(
        "standings", .read, standing,
        of: [.games(parameter: 1), .ranking(column: "p.id"), .platforms]
    ) {
        """
        SELECT \($0)
        FROM game_platforms gp
        JOIN platforms p ON p.id = gp.platform_id
        LEFT JOIN included_by i
               ON (i.platform_id, i.game_id) = (gp.platform_id, gp.game_id) AND i.count > 0
        CROSS JOIN \(RankOrder.counted)
        CROSS JOIN LATERAL (
            SELECT count(*) AS games FROM (
                SELECT FROM included_by o
                WHERE o.platform_id = i.platform_id AND o.count > 0
                  AND \(RankOrder("o").isLevel(with: "-i.count"))
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
        """
    }
}

enum InclusionQueries {
    private static func inclusions(
        _ name: String, _ direction: PageDirection, where condition: String
    ) -> Query<PlacedInclusion> {
        Query(
            name + direction.suffix, .read, PlacedInclusion.columns,
            of: [.games(parameter: 1), .platforms, .hearts(parameter: 1)]
        ) {
            """
            SELECT \($0)
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
            LEFT JOIN heart_counts h ON h.entry_id = e.id
            ORDER BY e.created_at DESC, e.id DESC
            """
        }
    }

    private static func agreed(_ name: String, where condition: String) -> Query<Inclusion> {
        Query(
            name, .read, Inclusion.columns,
            of: [.games(parameter: 1), .platforms, .hearts(parameter: 1)]
        ) {
            """
            SELECT \($0)
            FROM (
                SELECT * FROM entries
                WHERE game_id = $1 AND \(condition) AND comment <> '' AND audience = 'public'
                  AND agreed > 0
                ORDER BY agreed DESC, created_at DESC, id DESC
                LIMIT $3
            ) e
            JOIN users u ON u.id = e.user_id
            JOIN platforms p ON p.id = e.platform_id
            LEFT JOIN heart_counts h ON h.entry_id = e.id
            ORDER BY e.agreed DESC, e.created_at DESC, e.id DESC
            """
        }
    }

    static let agreed = agreed("agreed_inclusions", where: "platform_id = $2::integer")

    static let agreedAnywhere = agreed(
        "agreed_inclusions_anywhere", where: "$2::integer IS NULL")

    static let after = inclusions(
        "inclusions", .after, where: "platform_id = $2::integer")

    static let before = inclusions(
        "inclusions", .before, where: "platform_id = $2::integer")

    static let anywhere = inclusions(
        "inclusions_anywhere", .after, where: "$2::integer IS NULL")

    static let anywhereBefore = inclusions(
        "inclusions_anywhere", .before, where: "$2::integer IS NULL")
}

import FaveGames
import Foundation
import Freshness
import Postgres

/// How entries are searched: either the latest ones, in the order of an index, or a set that is
/// known to be small.
struct EntrySearch {
    /// The values of the conditions' parameters, from `$5` on.
    private(set) var values: [PostgresParameter] = []
    /// The conditions that an index covers. Those in `rest` must be checked for each entry.
    private var ordered: [String] = []
    /// The names of all conditions, which together identify the statement.
    private var names: [String] = []
    private var rest: [String] = []
    /// The parameter with the games, if each game's entries are read separately, in the index's
    /// order.
    private var games: String?

    init(_ filter: EntryFilter, rare: [UUID]?) {
        if let rare { require("few", "id = ANY (?::uuid[])", .uuids(rare)) }
        if let id = filter.userID { require("user", "user_id = ?::uuid", .uuid(id)) }
        if let ids = filter.gameIDs {
            if ordered.isEmpty {
                require("games", "game_id = wanted.id", .ints(ids))
                games = "$\(values.count + 4)::integer[]"
            } else {
                require("game", "game_id = ANY (?::integer[])", .ints(ids))
            }
        }
        if let id = filter.platformID {
            // One index covers both game and platform.
            require(
                "platform", "platform_id = ?::integer", .int(id),
                isOrdered: ordered.isEmpty || names == ["games"])
        }
        if let rating = filter.rating {
            // A rating never bounds the search, because the end of the search would reveal hidden
            // ratings.
            require("rating", "rating = ?::smallint", .int(rating.value), isOrdered: false)
            rest.append(
                "EXISTS (SELECT FROM users u WHERE u.id = user_id AND u.shows_ratings)")
        }
        if filter.hasComment {
            names.append("commented")
            rest.append("comment <> ''")
        }
        if let tag = filter.tag {
            require("tag", "tags @> ARRAY[?::text]", .text(tag.text), isOrdered: false)
        }
        if let search = filter.search {
            require(
                "words",
                "words @@ plainto_tsquery('simple'::regconfig, fold(?::text))",
                .text(search.text), isOrdered: false)
        }
    }

    /// - Parameter isOrdered: Whether an index covers the condition. If `nil`, an index does so
    ///   only for the first condition.
    private mutating func require(
        _ name: String, _ condition: String, _ value: PostgresParameter, isOrdered: Bool? = nil
    ) {
        values.append(value)
        names.append(name)
        let condition = condition.replacing("?", with: "$\(values.count + 4)")
        if isOrdered ?? ordered.isEmpty {
            ordered.append(condition)
        } else {
            rest.append(condition)
        }
    }

    /// `$1` is the number of entries, `$2` and `$3` are the cursor, and `$4` is the number of
    /// entries to search. A row has the entry's columns and where the search ended, which is NULL if
    /// it found enough or has searched all.
    func entries(_ direction: PageDirection) -> Query<EntryRow> {
        Query(
            (["entries"] + names).joined(separator: "_") + direction.suffix, effect,
            EntryRow.columns, of: [.entries, .games(), .platforms, .hearts(column: "g.id")]
        ) {
            """
            WITH \(found(direction))
            SELECT \($0)
            FROM (SELECT count(*) AS count FROM found) f
            LEFT JOIN LATERAL (
                \(end(direction))
            ) last ON true
            LEFT JOIN found e ON true
            LEFT JOIN users u ON u.id = e.user_id
            LEFT JOIN platforms p ON p.id = e.platform_id
            LEFT JOIN games g ON g.id = e.game_id
            LEFT JOIN heart_counts h ON h.entry_id = e.id
            ORDER BY e.created_at DESC, e.id DESC
            """
        }
    }

    /// The table expression `found`, with the entries, and the table expressions that it needs.
    private func found(_ direction: PageDirection) -> String {
        let order = "ORDER BY created_at \(direction.order), id \(direction.order)"
        guard let games else {
            // PostgreSQL stops reading once enough is found.
            let bound = rest.isEmpty ? "least($1::bigint, $4::bigint)" : "$4"
            return """
                found AS MATERIALIZED (
                    SELECT * FROM (
                        \(latest(direction, bound: bound))
                    ) looked_at \(condition)
                    \(order) LIMIT $1::bigint
                )
                """
        }
        // The games share the bound. Where the search of one game ends, it ends for all of them.
        let share =
            rest.isEmpty
            ? "least($1::bigint, $4::bigint)"
            : "greatest($1::bigint, $4::bigint / greatest(cardinality(\(games)), 1))"
        let conditions =
            rest + [
                """
                (end_id IS NULL
                 OR (created_at, id) \(direction == .after ? ">=" : "<=") (end_at, end_id))
                """
            ]
        return """
            looked_at AS MATERIALIZED (
                SELECT e.*, row_number() OVER (
                    PARTITION BY game_id
                    ORDER BY created_at \(direction.order), e.id \(direction.order)) AS place
                FROM (SELECT DISTINCT id FROM unnest(\(games)) AS g (id)) wanted
                CROSS JOIN LATERAL (
                    \(latest(direction, bound: share))
                ) e
            ), ends AS MATERIALIZED (
                SELECT created_at AS end_at, id AS end_id FROM looked_at
                WHERE place = \(share) \(order) LIMIT 1
            ), found AS MATERIALIZED (
                SELECT looked_at.* FROM looked_at LEFT JOIN ends ON true
                WHERE \(conditions.joined(separator: " AND "))
                \(order) LIMIT $1::bigint
            )
            """
    }

    /// Where a search that has found too little ended. No row if it has searched all.
    private func end(_ direction: PageDirection) -> String {
        if games != nil {
            return "SELECT end_at AS created_at, end_id AS id FROM ends WHERE f.count < $1"
        }
        guard !rest.isEmpty else {
            return "SELECT NULL::timestamptz AS created_at, NULL::uuid AS id"
        }
        return """
            SELECT created_at, id FROM entries
            WHERE \(candidates(direction)) AND f.count < $1
            ORDER BY created_at \(direction.order), id \(direction.order)
            OFFSET $4::bigint - 1 LIMIT 1
            """
    }

    /// The ids of the entries' games. The parameters are those of `entries(_:)`, but `$1` is the
    /// number of games.
    var gameIDs: Query<Int> {
        Query(
            (["games_of_entries"] + names).joined(separator: "_"), .longRead, column("game_id"),
            of: [.entries]
        ) {
            """
            SELECT \($0) FROM (
                \(lookedAt)
            ) looked_at \(condition)
            GROUP BY game_id
            ORDER BY count(*) DESC, max(created_at) DESC, game_id
            LIMIT $1::bigint
            """
        }
    }

    /// The read is short if an index covers all conditions: then no more entries are read than are
    /// returned.
    private var effect: Statement.Effect { rest.isEmpty ? .read : .longRead }

    private var condition: String { rest.isEmpty ? "" : "WHERE " + rest.joined(separator: " AND ") }

    /// The latest entries that meet the conditions of an index, at most `$4`.
    private var lookedAt: String {
        let latest = latest(.after, bound: "$4")
        guard let games else { return latest }
        return """
            SELECT e.*
            FROM (SELECT DISTINCT id FROM unnest(\(games)) AS g (id)) wanted
            CROSS JOIN LATERAL (
            \(latest)
            ) e
            ORDER BY created_at DESC, id DESC LIMIT $4
            """
    }

    /// The first entries from the cursor on that meet the conditions of an index.
    private func latest(_ direction: PageDirection, bound: String) -> String {
        """
        SELECT * FROM entries
        WHERE \(candidates(direction))
        ORDER BY created_at \(direction.order), id \(direction.order) LIMIT \(bound)
        """
    }

    private func candidates(_ direction: PageDirection) -> String {
        let place = """
            (created_at, id) \(direction.comparison)
                (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid)
            """
        return (["audience = 'public'"] + ordered + [place]).joined(separator: " AND ")
    }
}

/// A row that a search for entries returned.
struct EntryRow: Sendable {
    /// The entry, if any was found.
    let found: (PlacedInclusion, Game)?
    /// The last entry that was searched, if there may be more beyond.
    let last: (createdAt: Int, id: UUID)?

    /// The columns of the entry, and then those of `last`.
    static let columns = Columns(
        entry.expressions + end.expressions
    ) { row throws(PostgresError) in
        try EntryRow(found: row.next(entry.optional), last: row.next(end.optional))
    }

    private static let entry = Postgres.columns(PlacedInclusion.columns, Game.columns)
    private static let end = Columns<(createdAt: Int, id: UUID)>(
        ["(extract(epoch FROM last.created_at) * 1000000)::bigint", "last.id"]
    ) { row throws(PostgresError) in try (row.next(), row.next()) }
}

/// An entry and its place in the order of all entries, for cursors.
struct PlacedInclusion: Sendable {
    let inclusion: Inclusion
    /// Microseconds since 1970.
    private let createdAt: Int

    var place: (createdAt: Int, id: UUID) { (createdAt, inclusion.id) }

    static let columns = Columns(
        Inclusion.columns.expressions + ["(extract(epoch FROM e.created_at) * 1000000)::bigint"]
    ) { row throws(PostgresError) in
        try PlacedInclusion(inclusion: row.next(Inclusion.columns), createdAt: row.next())
    }
}

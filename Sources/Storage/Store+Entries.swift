import FaveGames
import Foundation
import Postgres

extension Store {
    /// Everyone's entries that a filter lets through, the latest first. Only public lists.
    ///
    /// What a page costs is bounded, whatever is asked: rare words and tags are looked up, and for
    /// the others a number of the latest entries is looked through. So a page may have fewer entries
    /// than `limit`, or none, and yet a next one.
    ///
    /// - Parameter limit: At most 100.
    public func entries(
        _ filter: EntryFilter, limit: Int, after cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> EntryPage {
        let search = EntrySearch(filter, rare: try await rareEntries(filter))
        let rows = try await database.query(
            search.statement,
            [
                .int(limit + 1), .int(cursor?.createdAt ?? Self.endOfTime),
                .uuid(cursor?.id ?? Self.lastUUID), .int(Self.entriesLookedAt),
            ] + search.values)
        var entries: [FoundEntry] = []
        var next: InclusionCursor?
        // Even of no entries there is a row, which says how far they were looked for.
        for row in rows {
            guard let id: UUID = try row[0] else { continue }
            guard entries.count < limit else {
                return EntryPage(entries: entries, next: next)
            }
            entries.append(FoundEntry(game: try Game(row, from: 14), inclusion: try Inclusion(row)))
            next = InclusionCursor(createdAt: try row[7], id: id)
        }
        guard let last = rows.first, try last[18] == Self.entriesLookedAt else {
            return EntryPage(entries: entries, next: nil)
        }
        return EntryPage(
            entries: entries, next: InclusionCursor(createdAt: try last[19], id: try last[20]))
    }

    /// The entries with the words or the tag of a filter, if they are few.
    private func rareEntries(_ filter: EntryFilter) async throws(PostgresError) -> [UUID]? {
        let bound = Self.rareBound
        for (statement, text) in [
            (Statement.entriesWithWords, filter.search?.text),
            (Statement.entriesWithTag, filter.tag?.text),
        ] {
            guard let text else { continue }
            let ids: [UUID] = try await database.query(
                statement, [.text(text), .int(bound + 1)])[0][0]
            if ids.count <= bound { return ids }
        }
        return nil
    }

    private static let entriesLookedAt = 2000
    private static let rareBound = 2000

    /// Public lists that share games with a user's, those first that share most, on whatever
    /// platform. Of games that stand on very many lists, the latest of them are looked at.
    ///
    /// - Parameter limit: At most 100.
    public func kindredLists(
        _ list: FaveList, limit: Int
    ) async throws(PostgresError) -> [KindredList] {
        let rows = try await database.query(
            .kindredLists, [.uuid(list.owner.id), .int(limit), .int(Self.inclusionsLookedAt)])
        var ids: [UUID] = []
        for row in rows { ids.append(try row[0]) }
        return try await lists(userIDs: ids).map { other in
            var shared: [Game] = []
            for entry in list.entries where !shared.contains(where: { $0.id == entry.game.id }) {
                if other.entries.contains(where: { $0.game.id == entry.game.id }) {
                    shared.append(entry.game)
                }
            }
            return KindredList(list: other, shared: shared)
        }
    }

    private static let inclusionsLookedAt = 2000
}

/// How entries are looked for: through the latest of those that an index has in this order, or
/// through those that are known to be few.
struct EntrySearch {
    /// Of the conditions, from `$5` on.
    private(set) var values: [PostgresParameter] = []
    /// What an index answers, and what must be looked at in each entry.
    private var ordered: [String] = []
    /// Of all conditions: together they say what the statement is.
    private var names: [String] = []
    private var rest: [String] = []

    init(_ filter: EntryFilter, rare: [UUID]?) {
        if let rare { require("few", "id = ANY (?::uuid[])", .uuids(rare)) }
        if let id = filter.userID { require("user", "user_id = ?::uuid", .uuid(id)) }
        if let id = filter.gameID { require("game", "game_id = ?::integer", .int(id)) }
        if let id = filter.platformID {
            // One index has both, game and platform.
            require(
                "platform", "platform_id = ?::integer", .int(id),
                isOrdered: ordered.isEmpty || names == ["game"])
        }
        if let rating = filter.rating {
            require("rating", "rating = ?::smallint", .int(rating.value))
        }
        if let tag = filter.tag {
            require("tag", "tags @> ARRAY[?::text]", .text(tag.text), isOrdered: false)
        }
        if let search = filter.search {
            require(
                "words",
                "to_tsvector('simple'::regconfig, fold(comment))"
                    + " @@ plainto_tsquery('simple'::regconfig, fold(?::text))",
                .text(search.text), isOrdered: false)
        }
    }

    /// - Parameter isOrdered: Whether an index may be read by it; if `nil`, by the first.
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

    /// `$1` how many; `$2` and `$3` the cursor; `$4` how many to look through. After the entry's
    /// columns comes how many were looked through, and the last of them.
    var statement: Statement {
        let chosen = (["audience = 'public'"] + ordered).joined(separator: " AND ")
        let kept = rest.isEmpty ? "" : "WHERE " + rest.joined(separator: " AND ")
        let bound = rest.isEmpty ? "least($1::bigint, $4::bigint)" : "$4::bigint"
        return Statement(
            (["entries"] + names).joined(separator: "_"), .read,
            """
            WITH looked_at AS MATERIALIZED (
                SELECT * FROM entries
                WHERE \(chosen)
                  AND (created_at, id)
                      < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid)
                ORDER BY created_at DESC, id DESC
                LIMIT \(bound)
            ), last AS (
                SELECT created_at, id FROM looked_at ORDER BY created_at, id LIMIT 1
            )
            SELECT \(Statement.inclusionColumns), g.id, g.name, g.release_year, g.cover_image_id,
                   (SELECT count(*) FROM looked_at),
                   (SELECT (extract(epoch FROM created_at) * 1000000)::bigint FROM last),
                   (SELECT id FROM last)
            FROM (SELECT) one
            LEFT JOIN (
                SELECT * FROM looked_at \(kept)
                ORDER BY created_at DESC, id DESC LIMIT $1::bigint
            ) e ON true
            LEFT JOIN users u ON u.id = e.user_id
            LEFT JOIN platforms p ON p.id = e.platform_id
            LEFT JOIN games g ON g.id = e.game_id
            ORDER BY e.created_at DESC, e.id DESC
            """)
    }
}

extension Inclusion {
    /// Reads `Statement.inclusionColumns`.
    init(_ row: Row) throws(PostgresError) {
        self.init(
            id: try row[0], username: try row[1], displayName: try row[2], position: try row[3],
            platform: try Platform(row, from: 8), comment: try row[4], rating: try row[12],
            tags: try row[13], createdAt: try row[5], updatedAt: try row[6])
    }
}

extension Statement {
    /// Of an entry `e`, its user `u` and platform `p`; the eighth is the cursor's.
    static let inclusionColumns = """
        e.id, u.username, u.display_name, e.position, e.comment, e.created_at, e.updated_at,
        (extract(epoch FROM e.created_at) * 1000000)::bigint,
        p.id, p.slug, p.name, p.abbreviation, e.rating, e.tags
        """

    static let entriesWithWords = Statement(
        "entries_with_words", .read,
        "SELECT coalesce(array_agg(id), '{}') FROM entries_with_words($1, $2::integer) AS w (id)")

    static let entriesWithTag = Statement(
        "entries_with_tag", .read,
        "SELECT coalesce(array_agg(id), '{}') FROM entries_with_tag($1, $2::integer) AS t (id)")

    static let kindredLists = Statement(
        "kindred_lists", .read,
        """
        SELECT other.user_id
        FROM (SELECT DISTINCT game_id FROM entries WHERE user_id = $1) mine
        CROSS JOIN LATERAL (
            SELECT e.user_id, e.created_at FROM entries e
            WHERE e.game_id = mine.game_id AND e.audience = 'public' AND e.user_id <> $1
            ORDER BY e.created_at DESC, e.id DESC
            LIMIT $3
        ) other
        GROUP BY other.user_id
        ORDER BY count(DISTINCT mine.game_id) DESC, max(other.created_at) DESC, other.user_id
        LIMIT $2
        """)
}

import FaveGames
import Foundation
import Postgres

extension Store {
    /// Everyone's entries that a filter lets through, the latest first. Only public lists.
    ///
    /// - Parameter limit: At most 100.
    public func entries(
        _ filter: EntryFilter, limit: Int, after cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> EntryPage {
        var parameters: [PostgresParameter] = [
            .int(limit + 1), .int(cursor?.createdAt ?? Self.endOfTime),
            .uuid(cursor?.id ?? Self.lastUUID),
        ]
        var conditions: [String] = []
        func require(_ condition: String, _ parameter: PostgresParameter) {
            parameters.append(parameter)
            conditions.append(condition.replacing("$", with: "$\(parameters.count)"))
        }
        if let id = filter.platformID { require("platform_id = $::integer", .int(id)) }
        if let id = filter.gameID { require("game_id = $::integer", .int(id)) }
        if let id = filter.userID { require("user_id = $::uuid", .uuid(id)) }
        if let tag = filter.tag {
            require("tags <> '{}' AND tags @> ARRAY[$::text]", .text(tag.text))
        }
        if let rating = filter.rating { require("rating = $::smallint", .int(rating.value)) }
        if let search = filter.search {
            require(
                "comment <> '' AND to_tsvector('simple'::regconfig, fold(comment))"
                    + " @@ plainto_tsquery('simple'::regconfig, fold($::text))", .text(search.text))
        }
        let rows = try await database.query(.entries(where: conditions), parameters)
        var entries: [FoundEntry] = []
        var next: InclusionCursor?
        for row in rows.prefix(limit) {
            let inclusion = try Inclusion(row)
            entries.append(FoundEntry(game: try Game(row, from: 14), inclusion: inclusion))
            next = InclusionCursor(createdAt: try row[7], id: inclusion.id)
        }
        return EntryPage(entries: entries, next: rows.count > limit ? next : nil)
    }

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

    /// `$1` how many; `$2` and `$3` the cursor; what follows are the conditions' own.
    fileprivate static func entries(where conditions: [String]) -> Statement {
        // Reads are told apart by their names.
        Statement(
            "entries: \(conditions.joined(separator: ", "))", .read,
            """
            SELECT \(inclusionColumns), g.id, g.name, g.release_year, g.cover_image_id
            FROM (
                SELECT * FROM entries
                WHERE \((["audience = 'public'"] + conditions).joined(separator: " AND "))
                  AND (created_at, id)
                      < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid)
                ORDER BY created_at DESC, id DESC
                LIMIT $1::integer
            ) e
            JOIN users u ON u.id = e.user_id
            JOIN platforms p ON p.id = e.platform_id
            JOIN games g ON g.id = e.game_id
            ORDER BY e.created_at DESC, e.id DESC
            """, planning: .eachTime)
    }

    fileprivate static let kindredLists = Statement(
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

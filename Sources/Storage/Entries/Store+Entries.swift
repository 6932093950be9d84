public import FaveGames
public import Foundation
import Freshness
public import Postgres

extension Store {
    /// The entries on all public lists that match a filter, the latest first.
    ///
    /// The cost of a page is bounded for every filter. Rare words and tags are looked up; for
    /// others, a bounded number of the latest entries is searched. So a page may have fewer entries
    /// than `limit`, or none, although there is a next page.
    ///
    /// - Parameter limit: At most 100.
    public func entries(
        _ filter: EntryFilter, limit: Int, at cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> EntryPage {
        var page = try await entries(
            filter, limit: limit, at: cursor,
            searching: filter.mayBeSparse ? Self.entriesLookedAtFirst : Self.entriesLookedAt)
        if filter.mayBeSparse, page.entries.count < limit {
            // Matches are not common among the latest entries. They may be rare.
            page = try await entries(
                filter, rare: rareEntries(filter), limit: limit, at: cursor,
                searching: Self.entriesLookedAt)
        }
        return page
    }

    /// An entry of a public list.
    public func entry(id: UUID) async throws(PostgresError) -> FoundEntry? {
        try await database.query(Entries.byID, [.uuid(id)]).first.map {
            FoundEntry(game: $1, inclusion: $0)
        }
    }

    /// The comment on a public list that most people agree with, among those of a length that fits a
    /// front page; `nil` as long as too few agree with any.
    public func bestEntry() async throws(PostgresError) -> FoundEntry? {
        try await database.query(Entries.best).first.map {
            FoundEntry(game: $1, inclusion: $0)
        }
    }

    private func entries(
        _ filter: EntryFilter, rare: [UUID]? = nil, limit: Int, at cursor: InclusionCursor?,
        searching bound: Int
    ) async throws(PostgresError) -> EntryPage {
        let search = EntrySearch(filter, rare: rare)
        let direction = cursor?.direction
        let rows = try await database.query(
            search.entries(direction ?? .after),
            [
                .int(limit + 1), .int(cursor?.createdAt ?? Self.endOfTime),
                .uuid(cursor?.id ?? .last), .int(bound),
            ] + search.values)
        // Even if no entry is found there is one row, which says how far the search went.
        let page = PageSlice(rows.compactMap(\.found), limit: limit, direction)
        var (next, previous) = page.cursors(from: cursor, at: \.0.place)
        // The page holds everything that the search found. There may be more matches beyond its
        // end.
        if let last = rows.first?.last {
            let end = InclusionCursor(direction ?? .after, createdAt: last.createdAt, id: last.id)
            if end.direction == .after { next = end } else { previous = end }
        }
        return EntryPage(
            entries: page.items.map { FoundEntry(game: $1, inclusion: $0.inclusion) }, next: next,
            previous: previous)
    }

    /// The games of the entries on all public lists that match a filter. Those with the most
    /// entries come first. If very many entries match, only the latest are considered, as many as
    /// for a page of entries.
    ///
    /// - Parameter limit: At most 100.
    public func games(
        _ filter: EntryFilter, limit: Int
    ) async throws(PostgresError) -> [FoundGame] {
        let search = EntrySearch(filter, rare: try await rareEntries(filter))
        let ids = try await database.query(
            search.gameIDs,
            [
                .int(limit), .int(Self.endOfTime), .uuid(.last),
                .int(Self.entriesLookedAt),
            ] + search.values)
        return try await games(ids: ids)
    }

    /// The ids of the entries with one of the words, or with the tag, of a filter; `nil` if these are
    /// not few.
    private func rareEntries(_ filter: EntryFilter) async throws(PostgresError) -> [UUID]? {
        let bound = Self.rareBound
        if let search = filter.search,
            let ids = try await database.row(
                Entries.withRareWord, [.text(search.text), .int(bound)])
        {
            return ids
        }
        guard let tag = filter.tag else { return nil }
        return try await database.row(Entries.withRareTag, [.text(tag.text), .int(bound)])
    }

    private static let entriesLookedAt = 2000
    /// In a search for something common, this many entries are enough to fill a page.
    private static let entriesLookedAtFirst = 250
    private static let rareBound = 2000

    /// Public lists that share games with the given one, on any platform, the ones with the most
    /// shared games first. If a game is on very many lists, only the latest of them count.
    ///
    /// - Parameter limit: At most 100.
    public func similarLists(
        _ list: FaveList, limit: Int
    ) async throws(PostgresError) -> [SimilarList] {
        let ids = try await database.query(
            Entries.similarLists,
            [.uuid(list.owner.id), .int(limit), .int(Self.inclusionsLookedAt)])
        let games = list.entries.map(\.game)
        return try await lists(userIDs: ids).map { other in
            SimilarList(list: other, taste: SharedTaste(own: games, theirs: other.games))
        }
    }

    private static let inclusionsLookedAt = 500
}

extension EntryFilter {
    /// Whether the search may have to look at very many entries to find a few.
    fileprivate var mayBeSparse: Bool { search != nil || tag != nil || rating != nil }
}

enum Entries {
    static let byID = Query(
        "public_entry", .read, columns(Inclusion.columns, Game.columns),
        of: [.entries, .games(), .platforms, .hearts(column: "g.id")]
    ) {
        """
        SELECT \($0)
        FROM entries e
        JOIN users u ON u.id = e.user_id
        JOIN platforms p ON p.id = e.platform_id
        JOIN games g ON g.id = e.game_id
        LEFT JOIN heart_counts h ON h.entry_id = e.id
        WHERE e.id = $1 AND e.audience = 'public'
        """
    }

    /// An order by the index needs no sort, and few comments are too long.
    static let best = Query(
        "best_entry", .read, columns(Inclusion.columns, Game.columns),
        of: [.entries, .games(), .platforms, .hearts(column: "g.id")]
    ) {
        """
        SELECT \($0)
        FROM (
            SELECT * FROM entries
            WHERE agreed > 0 AND audience = 'public' AND char_length(comment) BETWEEN 1 AND 300
            ORDER BY agreed DESC, created_at DESC, id DESC
            LIMIT 1
        ) e
        JOIN users u ON u.id = e.user_id
        JOIN platforms p ON p.id = e.platform_id
        JOIN games g ON g.id = e.game_id
        LEFT JOIN heart_counts h ON h.entry_id = e.id
        """
    }

    static let withRareWord = Query(
        "entries_with_rare_word", .longRead,
        column("entries_with_rare_word($1, $2::integer)", [UUID]?.self), of: [.entries]
    )

    static let withRareTag = Query(
        "entries_with_rare_tag", .longRead,
        column("entries_with_rare_tag($1, $2::integer)", [UUID]?.self), of: [.entries]
    )

    static let similarLists = Query(
        "similar_lists", .longRead, column("other.user_id", UUID.self), of: [.entries]
    ) {
        """
        SELECT \($0)
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
        """
    }
}

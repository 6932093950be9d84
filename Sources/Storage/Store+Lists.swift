import FaveGames
import Foundation
import Postgres

extension Store {
    /// The list of a user, as someone may see it: `nil` for everybody but the owner if it is
    /// private, and for all if the account is disabled.
    ///
    /// - Parameter viewer: The user who looks, if it is known.
    public func list(
        username: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> FaveList? {
        try await lists(database.query(.listByUsername, [.text(username), .uuid(viewer)])).first
    }

    /// The list of the user whose id has this digest, as someone may see it.
    public func list(
        digest: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> FaveList? {
        try await lists(database.query(.listByDigest, [.text(digest), .uuid(viewer)])).first
    }

    public func list(userID: UUID) async throws(PostgresError) -> FaveList? {
        try await lists(database.query(.listByUserID, [.uuid(userID)])).first
    }

    /// The lists of some users, in the order of the ids.
    public func lists(userIDs: [UUID]) async throws(PostgresError) -> [ListSummary] {
        try await summaries(database.query(.listsByUserIDs, [.uuids(userIDs)]))
    }

    /// The public lists with entries that changed last, the latest first.
    public func recentLists(limit: Int) async throws(PostgresError) -> [ListSummary] {
        try await summaries(database.query(.recentLists, [.int(limit)]))
    }

    private func lists(_ rows: Rows) throws(PostgresError) -> [FaveList] {
        try byOwner(rows) { row throws(PostgresError) in try Entry(row) }.map {
            FaveList(owner: $0, entries: $1)
        }
    }

    private func summaries(_ rows: Rows) throws(PostgresError) -> [ListSummary] {
        try byOwner(rows) { row throws(PostgresError) in
            try Game(row, from: Self.entryColumn)
        }.map { ListSummary(owner: $0, games: $1) }
    }

    /// Reads rows that begin with an owner and go on with an entry. An owner without entries has
    /// one row, with NULLs.
    private func byOwner<Value>(
        _ rows: Rows, _ read: (Row) throws(PostgresError) -> Value
    ) throws(PostgresError) -> [(owner: User, values: [Value])] {
        var lists: [(User, [Value])] = []
        var index = rows.startIndex
        while index < rows.endIndex {
            let owner = try User(rows[index], from: 0)
            var values: [Value] = []
            while index < rows.endIndex, try rows[index][0] == owner.id {
                if !rows[index].isNull(Self.entryColumn) {
                    values.append(try read(rows[index]))
                }
                index += 1
            }
            lists.append((owner, values))
        }
        return lists
    }

    /// Where the columns of an entry begin, after those of its owner.
    fileprivate static let entryColumn = 8

    /// Changes a user's list, all or nothing. Changes of one list happen one after the other.
    ///
    /// - Parameter change: Gets the list as it is and says how it is to be; may be called again
    ///   if the transaction loses against another one.
    /// - Returns: The list afterwards; `nil` if there is no such user.
    /// - Throws: What `change` throws, with nothing changed; `ListError` for a game or platform
    ///   that cannot be on a list.
    public func changeList(
        userID: UUID, _ change: @Sendable (FaveList) throws -> ListDraft
    ) async throws -> FaveList? {
        try await withLockedList(of: userID) { list, transaction in
            try await apply(change(list), to: list, in: transaction)
        }
    }

    /// Changes a user's list as `changeList` does, but only once for a request that is sent again.
    ///
    /// - Parameters:
    ///   - request: What it is known by, if it may be sent again.
    ///   - answer: What is answered, and kept for when it is; gets the list afterwards.
    /// - Returns: `nil` if there is no such user.
    /// - Throws: As `changeList`, and what `answer` throws, with nothing changed;
    ///   `IdempotencyKeyReusedError`.
    public func changeList(
        userID: UUID, once request: IdempotentRequest?,
        _ change: @Sendable (FaveList) throws -> ListDraft,
        answer: @Sendable (FaveList) throws -> KeptAnswer
    ) async throws -> KeptAnswer? {
        try await withLockedList(of: userID) { list, transaction in
            // A duplicate of the request that came at the same time has waited for the list's lock.
            if let request, let kept = try await keptAnswer(request, in: transaction) {
                return kept
            }
            let changed = try await apply(change(list), to: list, in: transaction)
            let answer = try answer(changed)
            if let request { try await keep(answer, to: request, of: userID, in: transaction) }
            return answer
        }
    }

    /// - Returns: `nil` if there is no such user.
    private func withLockedList<Result: Sendable>(
        of userID: UUID, _ body: (FaveList, Transaction) async throws -> Result
    ) async throws -> Result? {
        do {
            return try await database.withTransaction { transaction in
                try await transaction.query(.lockList, [.uuid(userID)])
                let rows = try await transaction.query(.listByUserID, [.uuid(userID)])
                guard let list = try lists(rows).first else { return nil }
                return try await body(list, transaction)
            }
        } catch let error as PostgresError {
            throw ListError(error) ?? error
        }
    }

    /// - Returns: The list afterwards.
    private func apply(
        _ draft: ListDraft, to list: FaveList, in transaction: Transaction
    ) async throws -> FaveList {
        guard draft != ListDraft(list) else { return list }
        try await check(draft, against: list, in: transaction)
        try await write(draft, replacing: list, in: transaction)
        let rows = try await transaction.query(.listByUserID, [.uuid(list.owner.id)])
        guard let changed = try lists(rows).first else { throw ListError.changedMeanwhile }
        return changed
    }

    /// Finds out what a foreign key's violation would not say: which game, and why.
    private func check(
        _ draft: ListDraft, against list: FaveList, in transaction: Transaction
    ) async throws {
        let known = Set(list.entries.map { Pick(game: $0.game.id, platform: $0.platform.id) })
        let new = draft.entries.map(\.pick).filter { !known.contains($0) }
        guard !new.isEmpty else { return }
        let rows = try await transaction.query(
            .checkPicks, [.ints(new.map(\.game)), .ints(new.map(\.platform))])
        for (row, pick) in zip(rows, new) {
            guard try row[0] else { throw ListError.unknownGame(pick.game) }
            guard try row[1] else { throw ListError.unknownPlatform(pick.platform) }
            guard try row[2] else {
                throw ListError.gameNotOnPlatform(game: pick.game, platform: pick.platform)
            }
        }
    }

    private func write(
        _ draft: ListDraft, replacing list: FaveList, in transaction: Transaction
    ) async throws {
        let old = Set(list.entries.map { Pick(game: $0.game.id, platform: $0.platform.id) })
        let new = Set(draft.entries.map(\.pick))
        // Removing locks counts, and then adding does. A single kind of change locks in order by
        // itself; for both, take all locks in order first.
        if !old.isSubset(of: new), !new.isSubset(of: old) {
            let picks = Array(old.symmetricDifference(new))
            try await transaction.query(
                .lockCounts, [.ints(picks.map(\.platform)), .ints(picks.map(\.game))])
        }
        let entries = draft.entries.enumerated()
        try await transaction.query(
            .replaceList,
            [
                .uuid(list.owner.id),
                .texts(entries.map { $1.id?.uuidString }),
                .ints(entries.map { $0.offset + 1 }),
                .ints(entries.map { $1.gameID }),
                .ints(entries.map { $1.platformID }),
                .texts(entries.map { $1.comment.text }),
                .texts(entries.map { $1.rating.map { String($0.value) } }),
                // No tag has a comma.
                .texts(entries.map { $1.tags.texts.joined(separator: ",") }),
            ])
    }
}

extension Entry {
    fileprivate init(_ row: Row) throws(PostgresError) {
        let column = Store.entryColumn
        self.init(
            id: try row[column], position: try row[column + 1],
            game: try Game(row, from: column + 2),
            platform: try Platform(row, from: column + 6), comment: try row[column + 10],
            rating: try row[column + 14], tags: try row[column + 15],
            includedBy: try row[column + 11], createdAt: try row[column + 12],
            updatedAt: try row[column + 13])
    }
}

extension ListError {
    /// What the database's own guard of a rule means. The program keeps the rules before that;
    /// this is for races, with seeding for example.
    fileprivate init?(_ error: PostgresError) {
        switch error.constraint {
        case "entries_position_check": self = .tooManyEntries
        case "entries_position_key", "entries_position_holes", "entries_game_key":
            self = .changedMeanwhile
        default: return nil
        }
    }
}

extension Statement {
    /// Wraps a choice of users, with their order in `place`, and adds entries.
    private static func lists(_ name: String, _ choice: String) -> Statement {
        Statement(
            name, .read,
            """
            SELECT \(userColumns),
                   e.id, e.position,
                   g.id, g.name, g.release_year, g.cover_image_id,
                   p.id, p.slug, p.name, p.abbreviation,
                   e.comment, coalesce(i.count, 0), e.created_at, e.updated_at, e.rating, e.tags
            FROM (\(choice)) u
            JOIN lists            l ON l.user_id = u.id
            LEFT JOIN entries     e ON e.user_id = u.id
            LEFT JOIN games       g ON g.id = e.game_id
            LEFT JOIN platforms   p ON p.id = e.platform_id
            LEFT JOIN included_by i ON (i.platform_id, i.game_id) = (e.platform_id, e.game_id)
            ORDER BY u.place, u.id, e.position
            """)
    }

    /// Wraps a choice of users as `lists` does, and adds only the games of their lists.
    private static func summaries(_ name: String, _ choice: String) -> Statement {
        Statement(
            name, .read,
            """
            SELECT \(userColumns),
                   g.id, g.name, g.release_year, g.cover_image_id
            FROM (\(choice)) u
            JOIN lists        l ON l.user_id = u.id
            LEFT JOIN entries e ON e.user_id = u.id
            LEFT JOIN games   g ON g.id = e.game_id
            ORDER BY u.place, u.id, e.position
            """)
    }

    static let listByUsername = lists(
        "list_by_username",
        "SELECT u.*, 0 AS place FROM users u WHERE u.username = $1 AND \(isVisible)")

    static let listByDigest = lists(
        "list_by_digest",
        "SELECT u.*, 0 AS place FROM users u WHERE user_digest(u.id) = $1 AND \(isVisible)")

    static let listByUserID = lists(
        "list_by_user_id", "SELECT *, 0 AS place FROM users WHERE id = $1")

    static let listsByUserIDs = summaries(
        "lists_by_user_ids",
        """
        SELECT users.*, wanted.place
        FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, place) JOIN users USING (id)
        """)

    static let recentLists = summaries(
        "recent_lists",
        """
        SELECT users.*, recent.place
        FROM (
            SELECT r.user_id, row_number() OVER (ORDER BY r.updated_at DESC, r.user_id) AS place
            FROM lists r
            WHERE r.updated_at IS NOT NULL AND r.audience = 'public'
              AND EXISTS (SELECT FROM entries WHERE user_id = r.user_id)
            ORDER BY r.updated_at DESC, r.user_id
            LIMIT $1
        ) recent
        JOIN users ON users.id = recent.user_id
        """)

    static let lockList = Statement(
        "lock_list", .write,
        "SELECT FROM lists WHERE user_id = $1 FOR NO KEY UPDATE")

    static let checkPicks = Statement(
        "check_picks", .read,
        """
        SELECT EXISTS (SELECT FROM games WHERE id = pick.game),
               EXISTS (SELECT FROM platforms WHERE id = pick.platform),
               EXISTS (SELECT FROM game_platforms
                       WHERE (game_id, platform_id) = (pick.game, pick.platform))
        FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS pick (game, platform, place)
        ORDER BY pick.place
        """)

    static let lockCounts = Statement(
        "lock_counts", .write,
        """
        INSERT INTO included_by AS i (platform_id, game_id, sort_name, count)
        SELECT pick.platform, pick.game, g.sort_name, 0
        FROM unnest($1::integer[], $2::integer[]) AS pick (platform, game)
        JOIN games g ON g.id = pick.game
        ORDER BY pick.platform, pick.game
        ON CONFLICT (platform_id, game_id) DO UPDATE SET count = i.count
        """)

    /// One statement, so that the constraints on positions and the triggers see only its end.
    static let replaceList = Statement(
        "replace_list", .write,
        """
        WITH wanted AS (
            SELECT w.id, w.position, w.game_id, w.platform_id, w.comment, w.rating,
                   string_to_array(w.tags, ',') AS tags
            FROM unnest($2::uuid[], $3::smallint[], $4::integer[], $5::integer[], $6::text[],
                        $7::smallint[], $8::text[])
                 AS w (id, position, game_id, platform_id, comment, rating, tags)
        ), removed AS (
            DELETE FROM entries e
            WHERE e.user_id = $1 AND NOT EXISTS (SELECT FROM wanted w WHERE w.id = e.id)
        ), changed AS (
            UPDATE entries e
            SET position = w.position, game_id = w.game_id, platform_id = w.platform_id,
                comment = w.comment, rating = w.rating, tags = w.tags,
                updated_at = CASE WHEN (w.game_id, w.platform_id, w.comment, w.rating, w.tags)
                                       IS NOT DISTINCT FROM
                                       (e.game_id, e.platform_id, e.comment, e.rating, e.tags)
                                  THEN e.updated_at ELSE now() END
            FROM wanted w
            WHERE e.id = w.id AND e.user_id = $1
              AND (w.position, w.game_id, w.platform_id, w.comment, w.rating, w.tags)
                  IS DISTINCT FROM
                  (e.position, e.game_id, e.platform_id, e.comment, e.rating, e.tags)
        )
        INSERT INTO entries (user_id, position, game_id, platform_id, comment, rating, tags)
        SELECT $1, w.position, w.game_id, w.platform_id, w.comment, w.rating, w.tags
        FROM wanted w WHERE w.id IS NULL
        """)
}

import FaveGames
import Foundation
import Postgres

extension Store {
    /// A user's list, if the viewer may see it. A private list is `nil` for everyone but its owner,
    /// and the list of a disabled account is `nil` for everyone.
    ///
    /// - Parameter viewer: The user who wants to see the list, if known.
    public func list(
        username: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> FaveList? {
        try await database.query(Lists.byUsername, [.text(username), .uuid(viewer)])
            .map(FaveList.init).first
    }

    /// The list of the user whose id has this digest, if the viewer may see it.
    public func list(
        digest: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> FaveList? {
        try await database.query(Lists.byDigest, [.text(digest), .uuid(viewer)])
            .map(FaveList.init).first
    }

    public func list(userID: UUID) async throws(PostgresError) -> FaveList? {
        try await database.query(Lists.byUserID, [.uuid(userID)]).map(FaveList.init).first
    }

    /// The lists of some users, in the order of `userIDs`.
    public func lists(userIDs: [UUID]) async throws(PostgresError) -> [ListSummary] {
        try await database.query(Lists.summariesByUserIDs, [.uuids(userIDs)]).map(ListSummary.init)
    }

    /// The public lists that changed last, the latest first. Empty lists are left out.
    public func recentLists(limit: Int) async throws(PostgresError) -> [ListSummary] {
        try await database.query(Lists.recent, [.int(limit)]).map(ListSummary.init)
    }

    /// Changes a user's list, completely or not at all. Concurrent changes to one list are made one
    /// after the other.
    ///
    /// - Parameter change: Receives the current list and returns the new one. It may be called
    ///   again if the transaction fails because of another one.
    /// - Returns: The list afterwards; `nil` if there is no such user.
    /// - Throws: Any error that `change` throws, and `ListError` for a game or platform that can't
    ///   be on a list, with nothing changed.
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
    ///   - request: Identifies the request, if it may be sent again.
    ///   - answer: Receives the list afterwards and returns the answer, which is stored for when
    ///     the request is sent again.
    /// - Returns: The answer; `nil` if there is no such user.
    /// - Throws: As `changeList`, and any error that `answer` throws, with nothing changed;
    ///   `IdempotencyKeyReusedError`.
    public func changeList(
        userID: UUID, once request: IdempotentRequest?,
        _ change: @Sendable (FaveList) throws -> ListDraft,
        answer: @Sendable (FaveList) throws -> KeptAnswer
    ) async throws -> KeptAnswer? {
        try await withLockedList(of: userID) { list, transaction in
            // A duplicate that arrived at the same time has waited for the list's lock, and finds
            // the answer here.
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
                try await transaction.query(Lists.lock, [.uuid(userID)])
                let found = try await transaction.query(Lists.byUserID, [.uuid(userID)])
                guard let list = found.first.map(FaveList.init) else { return nil }
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
        let found = try await transaction.query(Lists.byUserID, [.uuid(list.owner.id)])
        guard let changed = found.first else { throw ListError.changedMeanwhile }
        return FaveList(changed)
    }

    /// Checks what a foreign key violation wouldn't say: which game is wrong, and why.
    private func check(
        _ draft: ListDraft, against list: FaveList, in transaction: Transaction
    ) async throws {
        let known = Set(list.entries.map { Pick(game: $0.game.id, platform: $0.platform.id) })
        let new = draft.entries.map(\.pick).filter { !known.contains($0) }
        guard !new.isEmpty else { return }
        let rows = try await transaction.query(
            Lists.checkPicks, [.ints(new.map(\.game)), .ints(new.map(\.platform))])
        for ((gameExists, platformExists, isOnPlatform), pick) in zip(rows, new) {
            guard gameExists else { throw ListError.unknownGame(pick.game) }
            guard platformExists else { throw ListError.unknownPlatform(pick.platform) }
            guard isOnPlatform else {
                throw ListError.gameNotOnPlatform(game: pick.game, platform: pick.platform)
            }
        }
    }

    private func write(
        _ draft: ListDraft, replacing list: FaveList, in transaction: Transaction
    ) async throws {
        let old = Set(list.entries.map { Pick(game: $0.game.id, platform: $0.platform.id) })
        let new = Set(draft.entries.map(\.pick))
        // Removing entries locks counts, and adding entries locks more after that. Either kind of
        // change locks in order by itself. If there are both, all locks are taken in order first.
        if !old.isSubset(of: new), !new.isSubset(of: old) {
            let picks = Array(old.symmetricDifference(new))
            try await transaction.query(
                Lists.lockCounts, [.ints(picks.map(\.platform)), .ints(picks.map(\.game))])
        }
        let entries = draft.entries.enumerated()
        try await transaction.query(
            Lists.replace,
            [
                .uuid(list.owner.id),
                .texts(entries.map { $1.id?.uuidString }),
                .ints(entries.map { $0.offset + 1 }),
                .ints(entries.map { $1.gameID }),
                .ints(entries.map { $1.platformID }),
                .texts(entries.map { $1.comment.text }),
                .texts(entries.map { $1.rating.map { String($0.value) } }),
                // Tags can't contain commas.
                .texts(entries.map { $1.tags.texts.joined(separator: ",") }),
            ])
    }
}

extension FaveList {
    fileprivate init(_ found: (key: User, values: [Entry])) {
        self.init(owner: found.key, entries: found.values)
    }
}

extension ListSummary {
    fileprivate init(_ found: (key: User, values: [Game])) {
        self.init(owner: found.key, games: found.values)
    }
}

extension ListError {
    /// The meaning of a violated database constraint. The program checks the rules before that, so
    /// this is for races, for example with seeding.
    fileprivate init?(_ error: PostgresError) {
        switch error.constraint {
        case "entries_position_check": self = .tooManyEntries
        case "entries_position_key", "entries_position_holes", "entries_game_key":
            self = .changedMeanwhile
        default: return nil
        }
    }
}

enum Lists {
    /// Wraps a subquery that chooses users, with their order in `place`, and adds their entries.
    private static func lists(_ name: String, _ choice: String) -> GroupedQuery<User, Entry> {
        GroupedQuery(
            name, .read, by: User.columns, Entry.columns,
            of: [.users(), .games(), .platforms]
        ) {
            """
            SELECT \($0)
            FROM (\(choice)) u
            JOIN lists            l ON l.user_id = u.id
            LEFT JOIN entries     e ON e.user_id = u.id
            LEFT JOIN games       g ON g.id = e.game_id
            LEFT JOIN platforms   p ON p.id = e.platform_id
            LEFT JOIN included_by i ON (i.platform_id, i.game_id) = (e.platform_id, e.game_id)
            ORDER BY u.place, u.id, e.position
            """
        }
    }

    /// Wraps a subquery as `lists` does, but adds only the games of the lists.
    ///
    /// - Parameter dependencies: What the choice depends on.
    private static func summaries(
        _ name: String, of dependencies: [Dependency], _ choice: String
    ) -> GroupedQuery<User, Game> {
        GroupedQuery(
            name, .read, by: User.columns, Game.columns, of: dependencies + [.users(), .games()]
        ) {
            """
            SELECT \($0)
            FROM (\(choice)) u
            JOIN lists        l ON l.user_id = u.id
            LEFT JOIN entries e ON e.user_id = u.id
            LEFT JOIN games   g ON g.id = e.game_id
            ORDER BY u.place, u.id, e.position
            """
        }
    }

    static let byUsername = lists(
        "list_by_username",
        "SELECT u.*, 0 AS place FROM users u WHERE u.username = $1 AND \(Users.isVisible)")

    static let byDigest = lists(
        "list_by_digest",
        "SELECT u.*, 0 AS place FROM users u WHERE user_digest(u.id) = $1 AND \(Users.isVisible)")

    static let byUserID = lists(
        "list_by_user_id", "SELECT *, 0 AS place FROM users WHERE id = $1")

    static let summariesByUserIDs = summaries(
        "lists_by_user_ids", of: [.users(parameter: 1)],
        """
        SELECT users.*, wanted.place
        FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, place) JOIN users USING (id)
        """)

    static let recent = summaries(
        "recent_lists", of: [.lists, .entries],
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

    static let lock = Statement(
        "lock_list", .write,
        "SELECT FROM lists WHERE user_id = $1 FOR NO KEY UPDATE")

    /// For each pick: whether the game exists, whether the platform exists, and whether the game is
    /// on the platform.
    static let checkPicks = Query(
        "check_picks", .read,
        columns(
            column("EXISTS (SELECT FROM games WHERE id = pick.game)", Bool.self),
            column("EXISTS (SELECT FROM platforms WHERE id = pick.platform)", Bool.self),
            column(
                """
                EXISTS (SELECT FROM game_platforms
                        WHERE (game_id, platform_id) = (pick.game, pick.platform))
                """, Bool.self))
    ) {
        """
        SELECT \($0)
        FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS pick (game, platform, place)
        ORDER BY pick.place
        """
    }

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

    /// A single statement, so that the constraints on positions and the triggers see only its end
    /// result.
    static let replace = Statement(
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

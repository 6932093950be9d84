import FaveGames
import Foundation
import Postgres

extension Store {
    /// A user's list as others see it, if the viewer may see it. A private list is `nil` for everyone but its owner,
    /// and the list of a disabled account is `nil` for everyone.
    ///
    /// - Parameter viewer: The user who wants to see the list, if known.
    public func list(
        username: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> FaveList? {
        try await database.query(Lists.byUsername, [.text(username), .uuid(viewer)])
            .map(FaveList.init).first
    }

    /// The list of the user whose id has this digest, if it is public or the viewer's.
    public func list(
        digest: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> FaveList? {
        try await database.query(Lists.byDigest, [.text(digest), .uuid(viewer)])
            .map(FaveList.init).first
    }

    /// A user's list as they see it themselves.
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

    /// The list of the user that one of our access tokens represents. It is `nil` if the user is
    /// disabled or gone, or if the session that the token names has ended.
    public func list(
        bearer userID: UUID, sessionID: UUID?
    ) async throws(PostgresError) -> FaveList? {
        try await database.query(Lists.byBearer, [.uuid(userID), .uuid(sessionID)])
            .map(FaveList.init).first
    }

    // MARK: Changes

    /// Changes a user's list, completely or not at all. Concurrent changes to one list are made one
    /// after the other.
    ///
    /// - Parameter change: Receives the current list and returns the new one. It may be called
    ///   again with a newer list.
    /// - Returns: The list afterwards; `nil` if there is no such user.
    /// - Throws: Any error that `change` throws, and `ListError` for a game or platform that can't
    ///   be on a list, with nothing changed.
    public func changeList(
        userID: UUID, _ change: @Sendable (FaveList) throws -> ListDraft
    ) async throws -> FaveList? {
        guard let list = try await list(userID: userID) else { return nil }
        return try await changeList(list, change)
    }

    /// Changes a list as above, beginning with the list as it was read a moment ago. If it hasn't
    /// changed since then, this takes one round trip.
    public func changeList(
        _ list: FaveList, _ change: @Sendable (FaveList) throws -> ListDraft
    ) async throws -> FaveList? {
        try await explainingUnknownPicks {
            do {
                return try await save(
                    change(list), replacing: .read(list), with: Lists.saveAsynchronously,
                    by: database)
            } catch let error as PostgresError where error.isRetryableConflict {
                return try await database.withTransaction { transaction in
                    guard let list = try await lockedList(of: list.owner.id, by: transaction)
                    else { return nil }
                    return try await save(change(list), replacing: .locked(list), by: transaction)
                }
            }
        }
    }

    /// Changes a list as above, but only once for a request that is sent again.
    ///
    /// - Parameters:
    ///   - request: Identifies the request.
    ///   - answer: Receives the list afterwards and returns the answer, which is stored for when
    ///     the request is sent again.
    /// - Returns: The answer; `nil` if there is no such user.
    /// - Throws: As above, and any error that `answer` throws, with nothing changed;
    ///   `IdempotencyKeyReusedError`.
    public func changeList(
        _ list: FaveList, once request: IdempotentRequest,
        _ change: @Sendable (FaveList) throws -> ListDraft,
        answer: @Sendable (FaveList) throws -> KeptAnswer
    ) async throws -> KeptAnswer? {
        if let kept = try await keptAnswer(request) { return kept }
        var attempts = 0
        return try await explainingUnknownPicks {
            try await database.withTransaction { transaction in
                attempts += 1
                var base = ListBase.read(list)
                if attempts > 1 {
                    // Another writer came first, perhaps with a copy of this request, and has
                    // stored its answer by now.
                    guard let list = try await lockedList(of: list.owner.id, by: transaction)
                    else { return nil }
                    if let kept = try await keptAnswer(request, in: transaction) { return kept }
                    base = .locked(list)
                }
                let saved = try await save(change(base.list), replacing: base, by: transaction)
                let answer = try answer(saved)
                try await keep(answer, to: request, of: list.owner.id, in: transaction)
                return answer
            }
        }
    }

    /// A list that is to be replaced.
    private enum ListBase {
        /// It may have changed since it was read.
        case read(FaveList)
        /// It can't change until the transaction ends.
        case locked(FaveList)

        var list: FaveList {
            switch self {
            case .read(let list), .locked(let list): list
            }
        }

        /// The version that the list must still have.
        var version: Int? {
            switch self {
            case .read(let list): list.version
            case .locked: nil
            }
        }
    }

    private func lockedList(
        of userID: UUID, by transaction: Transaction
    ) async throws(PostgresError) -> FaveList? {
        let lock = BoundStatement(Lists.lock, [.uuid(userID)])
        return try await transaction.query(Lists.byUserID, [.uuid(userID)], after: lock)
            .map(FaveList.init).first
    }

    /// Saves a whole list, in one round trip.
    ///
    /// - Returns: The list afterwards.
    /// - Throws: `PostgresError` with `isRetryableConflict` if the list has changed since it was
    ///   read; `UnknownPick`; `ListError`.
    private func save(
        _ draft: ListDraft, replacing base: ListBase, with statement: Statement = Lists.save,
        by runner: some StatementRunner
    ) async throws -> FaveList {
        var statement = statement
        if draft == ListDraft(base.list) {
            guard case .read = base else { return base.list }
            // What was read may not be on disk yet. This locks the list, which is flushed.
            statement = Lists.save
        }
        let owner = PostgresParameter.uuid(base.list.owner.id)
        let entries = draft.entries
        let save = BoundStatement(
            statement,
            [
                owner,
                base.version.map { .int($0) } ?? nil,
                .texts(entries.map { $0.id?.uuidString }),
                .ints(entries.map { $0.platformID }),
                .ints(entries.map { $0.gameID }),
                .texts(entries.map { $0.comment.text }),
                .texts(entries.map { $0.rating.map { String($0.value) } }),
                // Tags can't contain commas.
                .texts(entries.map { $0.tags.texts.joined(separator: ",") }),
            ])
        do {
            let found = try await runner.query(Lists.byUserID, [owner], after: save)
            guard let saved = found.first else { throw ListError.changedMeanwhile }
            return FaveList(saved)
        } catch let error as PostgresError {
            if error.sqlState == SQLState.foreignKeyViolation {
                throw UnknownPick(picks: entries.map(\.pick))
            }
            throw ListError(error) ?? error
        }
    }

    /// One of the picks can't be on a list.
    private struct UnknownPick: Error {
        let picks: [Pick]
    }

    /// Finds out what a foreign key violation doesn't say: which pick is wrong, and why.
    private func explainingUnknownPicks<Result>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as UnknownPick {
            // Unless one of these is wrong, it came to be right a moment ago.
            let rows = try await database.query(
                Lists.checkPicks,
                [.ints(error.picks.map(\.game)), .ints(error.picks.map(\.platform))])
            for ((gameExists, platformExists, isOnPlatform), pick) in zip(rows, error.picks) {
                guard gameExists else { throw ListError.unknownGame(pick.game) }
                guard platformExists else { throw ListError.unknownPlatform(pick.platform) }
                guard isOnPlatform else {
                    throw ListError.gameNotOnPlatform(game: pick.game, platform: pick.platform)
                }
            }
        }
        do {
            return try await body()
        } catch is UnknownPick {
            throw ListError.changedMeanwhile
        }
    }
}

extension FaveList {
    init(_ found: (key: (User, Int), values: [Entry])) {
        self.init(owner: found.key.0, entries: found.values, version: found.key.1)
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
    ///
    /// - Parameters:
    ///   - dependencies: What the lists depend on; `nil` if the choice depends on more.
    ///   - entry: Which columns of the entries are read.
    private static func lists(
        _ name: String, of dependencies: [Dependency]? = [.users(), .games(), .platforms],
        entry: Columns<Entry> = Entry.columns, _ choice: String
    ) -> GroupedQuery<(User, Int), Entry> {
        GroupedQuery(
            name, .read, by: columns(User.columns, column("l.version", Int.self)), entry,
            of: dependencies
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
        "SELECT u.*, 0 AS place FROM users u WHERE \(Users.isFoundByDigest)")

    static let byUserID = lists(
        "list_by_user_id", entry: Entry.ownColumns,
        "SELECT *, 0 AS place FROM users WHERE id = $1")

    static let byBearer = lists(
        "list_by_bearer", of: nil, entry: Entry.ownColumns,
        "SELECT u.*, 0 AS place FROM users u WHERE \(Sessions.isBearer)")

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

    private static let saveList = """
        SELECT save_list($1, $2, $3::uuid[], $4::integer[], $5::integer[], $6::text[],
                         $7::smallint[], $8::text[])
        """

    static let save = Statement("save_list", .write, saveList)

    /// Outside a transaction. The counts of popular games, for which other writers wait, aren't
    /// locked while the disk is written.
    static let saveAsynchronously = Statement(
        "save_list_asynchronously", .asynchronousWrite,
        "\(saveList) FROM set_config('synchronous_commit', 'off', true)")
}

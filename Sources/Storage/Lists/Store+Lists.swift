public import FaveGames
public import Foundation
import Freshness
public import Postgres

extension Store {
    /// A user's list as others see it, if the viewer may see it. A private list is `nil` for everyone but its owner,
    /// and the list of a disabled account is `nil` for everyone. Entries with hidden games are left out.
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

    /// A user's entries with hidden games, which only the user sees.
    public func hiddenEntries(of userID: UUID) async throws(PostgresError) -> [Entry] {
        try await database.query(Lists.hiddenEntries, [.uuid(userID)])
    }

    /// The lists of some users as others see them, in the order of `userIDs`.
    public func lists(userIDs: [UUID]) async throws(PostgresError) -> [ListSummary] {
        try await database.query(Lists.summariesByUserIDs, [.uuids(userIDs)]).map(ListSummary.init)
    }

    /// The public lists that changed last, the latest first. Empty lists are left out.
    ///
    /// - Parameter limit: At most 100.
    public func recentLists(
        limit: Int, at cursor: InclusionCursor? = nil
    ) async throws(PostgresError) -> RecentLists {
        let found = try await database.query(
            cursor?.direction == .before ? Lists.recentBefore : Lists.recent,
            [
                .int(limit + 1), .int(cursor?.createdAt ?? Self.endOfTime),
                .uuid(cursor?.id ?? .last),
            ])
        let page = PageSlice(found.map(ListSummary.init), limit: limit, cursor?.direction)
        let (next, previous) = page.cursors(from: cursor) { list in
            // To the microsecond, as PostgreSQL stores it.
            let seconds = list.owner.listUpdatedAt?.timeIntervalSince1970 ?? 0
            return (Int((seconds * 1_000_000).rounded()), list.owner.id)
        }
        return RecentLists(lists: Array(page.items), next: next, previous: previous)
    }

    /// The list of the user that one of our access tokens represents. It is `nil` if the user is
    /// disabled or gone, or if the session that the token names has ended.
    public func list(
        bearer userID: UUID, sessionID: UUID?
    ) async throws(PostgresError) -> FaveList? {
        try await database.query(Lists.byBearer, [.uuid(userID), .uuid(sessionID)])
            .map(FaveList.init).first
    }
}

extension FaveList {
    package init(_ found: (key: (User, Int), values: [Entry])) {
        self.init(owner: found.key.0, entries: found.values, version: found.key.1)
    }
}

extension ListSummary {
    fileprivate init(_ found: (key: User, values: [Game])) {
        self.init(owner: found.key, games: found.values)
    }
}

extension ListError {
    /// The error that `save_list` reports, or the meaning of a violated constraint. The program
    /// checks the other rules before that, so they are violated only in races, for example with
    /// seeding.
    package init?(_ error: PostgresError, of draft: ListDraft) {
        switch error.constraint {
        case "wanted_entries":
            let wrong = (error.messageDetail ?? "").split(separator: ", ").compactMap {
                fault -> WrongPick? in
                let parts = fault.split(separator: " ")
                guard parts.count == 2, let position = Int(parts[0]),
                    draft.entries.indices.contains(position - 1)
                else { return nil }
                let reason: WrongPick.Reason =
                    switch parts[1] {
                    case "game": .unknownGame
                    case "platform": .unknownPlatform
                    default: .notOnPlatform
                    }
                return WrongPick(
                    at: position - 1, draft.entries[position - 1].pick, reason)
            }
            guard !wrong.isEmpty else { return nil }
            self = .wrongPicks(wrong)
        case "entries_position_check": self = .tooManyEntries
        case "entries_position_holes", "entries_game_key", "entries_game_platform_fkey":
            self = .changedMeanwhile
        default: return nil
        }
    }
}

package enum Lists {
    /// Wraps a subquery that chooses users, with their order in `place`, and adds their entries.
    ///
    /// - Parameters:
    ///   - dependencies: The dependencies of the lists; `nil` if the choice depends on more.
    ///   - entry: The columns of the entries to read.
    ///   - condition: Which of the entries are read: by default, those that others see. An entry with a
    ///     hidden game has another audience than its list, unless the list is hidden itself, which only
    ///     its owner sees.
    package static func lists(
        _ name: String, of dependencies: [Dependency]? = [.users(), .games(), .platforms],
        entry: Columns<Entry> = Entry.columns,
        where condition: String = "e.audience = l.audience", _ choice: String
    ) -> GroupedQuery<(User, Int), Entry> {
        GroupedQuery(
            name, .read, by: columns(User.columns, column("l.version", Int.self)), entry,
            of: dependencies
        ) {
            """
            SELECT \($0)
            FROM (\(choice)) u
            JOIN lists            l ON l.user_id = u.id
            LEFT JOIN entries     e ON e.user_id = u.id AND \(condition)
            LEFT JOIN games       g ON g.id = e.game_id
            LEFT JOIN platforms   p ON p.id = e.platform_id
            LEFT JOIN included_by i ON (i.platform_id, i.game_id) = (e.platform_id, e.game_id)
            ORDER BY u.place, u.id, e.position
            """
        }
    }

    /// Wraps a subquery as `lists` does, but adds only the games of the lists.
    ///
    /// - Parameter dependencies: The dependencies of the choice.
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
            LEFT JOIN entries e ON e.user_id = u.id AND e.audience = l.audience
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

    package static let byUserID = lists(
        "list_by_user_id", entry: Entry.ownColumns, where: "true",
        "SELECT *, 0 AS place FROM users WHERE id = $1")

    static let hiddenEntries = Query(
        "hidden_entries", .read, Entry.ownColumns,
        of: [.users(parameter: 1), .games(), .platforms]
    ) {
        """
        SELECT \($0)
        FROM entries e
        JOIN games g ON g.id = e.game_id AND g.is_hidden
        JOIN platforms p ON p.id = e.platform_id
        LEFT JOIN included_by i ON (i.platform_id, i.game_id) = (e.platform_id, e.game_id)
        WHERE e.user_id = $1
        ORDER BY e.position
        """
    }

    static let byBearer = lists(
        "list_by_bearer", of: nil, entry: Entry.ownColumns, where: "true",
        "SELECT u.*, 0 AS place FROM users u WHERE \(Sessions.isBearer)")

    static let summariesByUserIDs = summaries(
        "lists_by_user_ids", of: [.users(parameter: 1)],
        """
        SELECT users.*, wanted.place
        FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, place) JOIN users USING (id)
        """)

    static let recent = recent(.after)
    static let recentBefore = recent(.before)

    /// `$1` is the number of lists, and `$2` and `$3` are the cursor.
    private static func recent(_ direction: PageDirection) -> GroupedQuery<User, Game> {
        summaries(
            "recent_lists\(direction.suffix)", of: [.lists, .entries],
            """
            SELECT users.*, row_number() OVER (ORDER BY r.updated_at DESC, r.user_id DESC) AS place
            FROM (
                SELECT user_id, updated_at FROM lists
                WHERE updated_at IS NOT NULL AND audience = 'public'
                  AND EXISTS (SELECT FROM entries e
                              WHERE e.user_id = lists.user_id AND e.audience = 'public')
                  AND (updated_at, user_id) \(direction.comparison)
                      (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid)
                ORDER BY updated_at \(direction.order), user_id \(direction.order)
                LIMIT $1
            ) r
            JOIN users ON users.id = r.user_id
            """)
    }
}

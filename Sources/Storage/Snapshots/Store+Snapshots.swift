public import FaveGames
public import Foundation
import Freshness
public import Postgres

// Snapshots that people take of their lists.
extension Store {
    /// A user and their snapshots, the latest first.
    ///
    /// - Parameter viewer: The user who wants to see it, if known.
    /// - Returns: `nil` if the viewer may not see the user's list.
    public func snapshots(
        username: String, seenBy viewer: UUID?
    ) async throws(PostgresError) -> (owner: User, lists: [SnapshotSummary])? {
        try await database.query(Snapshots.ofUsername, [.text(username), .uuid(viewer)])
            .first.map { ($0.key, $0.values) }
    }

    /// A user’s snapshots, the latest first.
    public func snapshots(userID: UUID) async throws(PostgresError) -> [SnapshotSummary] {
        try await database.query(Snapshots.ofUserID, [.uuid(userID)]).first?.values ?? []
    }

    /// A snapshot, if the viewer may see the current list.
    public func snapshot(
        username: String, slug: SnapshotSlug, seenBy viewer: UUID?
    ) async throws(PostgresError) -> Snapshot? {
        try await Snapshot(
            database.query(
                Snapshots.byUsername,
                [.text(username), .uuid(viewer), .text(slug.description)]))
    }

    /// A snapshot as its owner sees it.
    public func snapshot(
        userID: UUID, slug: SnapshotSlug
    ) async throws(PostgresError) -> Snapshot? {
        try await Snapshot(
            database.query(Snapshots.byUserID, [.uuid(userID), .text(slug.description)]))
    }

    /// The snapshot of a user's year, while it is news: for `Snapshot.newsDays` days.
    public func yearInReview(userID: UUID) async throws(PostgresError) -> SnapshotSummary? {
        try await database.query(Snapshots.yearInReview, [.uuid(userID)]).first
    }
}

extension Snapshot {
    /// - Parameter found: The list and the previous snapshot, if any.
    package init?(_ found: some Sequence<Snapshots.Found>) {
        let found = Array(found.prefix(2))
        guard let list = found.first, !list.values.isEmpty else { return nil }
        self.init(
            owner: list.key.owner, summary: list.key.summary, entries: list.values,
            previous: found.dropFirst().first.map { ($0.key.summary, $0.values) })
    }
}

package enum Snapshots {
    package typealias Key = (id: UUID, summary: SnapshotSummary, owner: User, showedRatings: Bool)
    package typealias Found = (key: Key, values: [SnapshotEntry])

    private static let summary = Columns<SnapshotSummary>(
        ["k.slug", "k.title", "k.taken_at", "k.year"]
    ) { row throws(PostgresError) in
        try SnapshotSummary(
            slug: row.next(), title: row.next(), takenAt: row.next(), year: row.next())
    }

    private static let key = Columns<Key>(
        ["k.id"] + summary.expressions + User.columns.expressions + ["k.shows_ratings"]
    ) { row throws(PostgresError) in
        try (row.next(), row.next(summary), row.next(User.columns), row.next())
    }

    private static func entry(rating: String, comment: String) -> Columns<SnapshotEntry> {
        Columns(
            ["e.position"] + Game.columns.expressions + Platform.columns.expressions
                + [comment, rating, "e.tags"]
        ) { row throws(PostgresError) in
            try SnapshotEntry(
                position: row.next(), game: row.next(Game.columns),
                platform: row.next(Platform.columns), comment: row.next(), rating: row.next(),
                tags: row.next())
        }
    }

    /// A user without snapshots is a row, too, so the result depends on the user.
    private static func summaries(
        _ name: String, where condition: String
    ) -> GroupedQuery<User, SnapshotSummary> {
        GroupedQuery(name, .read, by: User.columns, summary, of: [.users()]) {
            """
            SELECT \($0)
            FROM \(User.tables) LEFT JOIN snapshots k ON k.user_id = u.id
            WHERE \(condition)
            ORDER BY k.taken_at DESC, k.id DESC
            LIMIT 200
            """
        }
    }

    static let ofUsername = summaries(
        "snapshots_by_username", where: "u.username = $1 AND \(Users.isVisible)")

    static let ofUserID = summaries("snapshots_by_user_id", where: "u.id = $1")

    static let yearInReview = Query("year_in_review", .read, summary) {
        """
        SELECT \($0) FROM snapshots k
        WHERE k.user_id = $1 AND k.year IS NOT NULL
          AND k.taken_at > now() - interval '\(Snapshot.newsDays) days'
        ORDER BY k.year DESC LIMIT 1
        """
    }

    /// A list and the previous one. A year is compared with a year.
    ///
    /// - Parameter isShown: Whether the game `g` of the user `u` is shown.
    private static func list(
        _ name: String, where condition: String, rating: String, isShown: String = "true"
    ) -> GroupedQuery<Key, SnapshotEntry> {
        let comment = "CASE WHEN e.hidden_by IS NULL THEN e.comment ELSE '' END"
        return lists(
            name, entry(rating: rating, comment: comment), of: [.users(), .games(), .platforms],
            isShown: isShown,
            """
            SELECT before.*
            FROM users u
            JOIN snapshots wanted ON wanted.user_id = u.id
            CROSS JOIN LATERAL (
                SELECT o.* FROM snapshots o
                WHERE o.user_id = wanted.user_id
                  AND (o.taken_at, o.id) <= (wanted.taken_at, wanted.id)
                  AND (wanted.year IS NULL OR o.year IS NOT NULL)
                ORDER BY o.taken_at DESC, o.id DESC LIMIT 2
            ) before
            WHERE \(condition)
            """)
    }

    /// Some snapshots, the latest first.
    ///
    /// - Parameter choice: A subquery that chooses them.
    private static func lists(
        _ name: String, _ entry: Columns<SnapshotEntry>, of dependencies: [Dependency]?,
        isShown: String = "true", _ choice: String
    ) -> GroupedQuery<Key, SnapshotEntry> {
        GroupedQuery(name, .read, by: key, entry, of: dependencies) {
            """
            SELECT \($0)
            FROM (
                \(choice)
            ) k
            JOIN users        u ON u.id = k.user_id
            JOIN lists        l ON l.user_id = u.id
            LEFT JOIN (
                snapshot_entries e
                JOIN games        g ON g.id = e.game_id
                JOIN platforms    p ON p.id = e.platform_id
            ) ON e.snapshot_id = k.id AND \(isShown)
            ORDER BY k.taken_at DESC, k.id DESC, e.position
            """
        }
    }

    /// Other people see the ratings if they could see them then and can see them now.
    static let byUsername = list(
        "snapshot_by_username",
        where: "u.username = $1 AND wanted.slug = $3 AND \(Users.isVisible)",
        rating: "CASE WHEN u.shows_ratings AND k.shows_ratings THEN e.rating END",
        isShown: "(NOT g.is_hidden OR u.id = $2)")

    package static let byUserID = list(
        "snapshot_by_user_id", where: "u.id = $1 AND wanted.slug = $2", rating: "e.rating")

    /// All snapshots of a user, also with the comments that moderators have hidden.
    static let all = lists(
        "snapshots_of_user", entry(rating: "e.rating", comment: "e.comment"), of: nil,
        "SELECT * FROM snapshots WHERE user_id = $1")
}

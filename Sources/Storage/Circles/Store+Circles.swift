public import FaveGames
public import Foundation
import Freshness
public import Postgres

extension Store {
    /// A circle, if the viewer may see it.
    ///
    /// - Parameter viewer: The user who wants to see the circle, if known.
    public func circle(id: UUID, seenBy viewer: UUID?) async throws(PostgresError) -> CircleView? {
        try await circle(Circles.byID, .uuid(id), seenBy: viewer)
    }

    /// The circle with an address, as above.
    public func circle(
        slug: CircleSlug, seenBy viewer: UUID?
    ) async throws(PostgresError) -> CircleView? {
        try await circle(Circles.bySlug, .text(slug.description), seenBy: viewer)
    }

    private func circle(
        _ statements: Circles.Lookup, _ reference: PostgresParameter, seenBy viewer: UUID?
    ) async throws(PostgresError) -> CircleView? {
        if let viewer {
            let found = try await database.query(
                statements.ofMember, [reference, .uuid(viewer)])
            if let view = found.compactMap(CircleView.init).first { return view }
        }
        return try await database.query(statements.ofAnyone, [reference])
            .compactMap(CircleView.init).first
    }

    /// The circles that someone is in, by name.
    public func circles(of userID: UUID) async throws(PostgresError) -> [OwnCircle] {
        try await database.query(Circles.ofUser, [.uuid(userID)])
    }

    /// The rankings of a circle's members' public lists, those of the platforms with the most picks
    /// first.
    ///
    /// - Parameters:
    ///   - platform: Only the ranking of this platform; `nil` for all.
    ///   - lists: Only games on at least so many lists, and platforms with such games.
    ///   - platforms: The places of the platforms in their order, from 1.
    ///   - games: The places of the games in each ranking, from 1.
    public func rankings(
        of view: CircleView, on platform: Int? = nil, sharedBy lists: Int = 1,
        platforms: ClosedRange<Int> = 1...1, games: ClosedRange<Int>
    ) async throws(PostgresError) -> [CircleRanking] {
        try await database.query(
            Circles.rankings,
            [
                .uuids(view.userIDs), .int(platform), .int(platforms.lowerBound),
                .int(platforms.upperBound), .int(games.lowerBound), .int(games.upperBound),
                .int(lists),
            ]
        ).map { CircleRanking(platform: $0.key.0, gameCount: $0.key.1, games: $0.values) }
    }

    /// The games on the public lists of at least two members: those on the most lists first, and
    /// games on equally many by name. A hundred members can have two hundred and fifty in common.
    public func commonGames(
        of view: CircleView, limit: Int = 250
    ) async throws(PostgresError) -> [CommonGame] {
        try await database.query(Circles.common, [.uuids(view.userIDs), .int(limit)])
    }

    /// The games on the public lists of some of a circle's members, in the order of each list, by the
    /// ids of the memberships. Members without a public list are left out.
    public func games(
        of members: some Sequence<CircleMember>, in view: CircleView
    ) async throws(PostgresError) -> [UUID: [Game]] {
        let wanted = Set(members.map(\.id))
        let chosen = zip(view.shownIDs, view.members).filter { wanted.contains($1.id) }
        let found = try await database.query(Circles.games, [.uuids(chosen.map(\.0))])
        let memberships = Dictionary(chosen.map { ($0, $1.id) }) { first, _ in first }
        var games: [UUID: [Game]] = [:]
        for (user, list) in found {
            if let member = memberships[user] { games[member] = list }
        }
        return games
    }

    // MARK: Invitations

    /// A circle's invitations that can still be used, the latest first; none for anyone but the owner.
    public func invitations(
        toCircle id: UUID, by userID: UUID
    ) async throws(PostgresError) -> [CircleInvitation] {
        try await database.query(Circles.invitations, [.uuid(id), .uuid(userID)])
    }

    /// The circle that an invitation is for; `nil` if the invitation can't be used.
    ///
    /// - Parameter viewer: The user who wants to see it, if known.
    public func circleOffer(
        tokenHash: [UInt8], for viewer: UUID?
    ) async throws(PostgresError) -> CircleOffer? {
        try await database.query(Circles.offer, [.bytes(tokenHash), .uuid(viewer)]).first
    }
}

extension CircleView {
    /// - Returns: `nil` if the viewer may not see it.
    fileprivate init?(_ found: (key: (Circle, Bool?, Bool), values: [Circles.Row])) {
        guard found.key.2 else { return nil }
        let shown = found.values.compactMap { row in row.member.map { (row.userID, $0) } }
        self.init(
            circle: found.key.0, role: found.key.1.map { $0 ? .owner : .member },
            members: shown.map(\.1), shownIDs: shown.map(\.0),
            userIDs: found.values.map(\.userID))
    }
}

package enum Circles {
    /// For statements where `c` is the circle.
    static let circle = Columns<Circle>(
        ["c.id", "c.slug", "c.name", "c.description", "c.visibility", "c.created_at"]
    ) { row throws(PostgresError) in
        try Circle(
            id: row.next(), slug: row.next(), name: row.next(), description: row.next(),
            visibility: row.next(), createdAt: row.next())
    }

    /// A member. Only the id is known if the viewer may not see the member.
    struct Row: Sendable {
        let userID: UUID
        let member: CircleMember?
    }

    /// For statements where `m` is the member, `u` the user and `l` the list.
    ///
    /// - Parameters:
    ///   - condition: Whether the viewer may see the member.
    ///   - isViewer: Whether the member is the viewer.
    ///   - joinedAt: When the member joined, if the viewer may know it.
    private static func row(
        where condition: String, isViewer: String, joinedAt: String
    ) -> Columns<Row> {
        let member = Columns<CircleMember>(
            [
                "CASE WHEN \(condition) THEN m.id END",
                "CASE WHEN l.audience = 'public' THEN u.username END",
                "CASE WHEN \(condition) THEN u.display_name END", "m.owned IS NOT NULL", isViewer,
                joinedAt,
            ]
        ) { row throws(PostgresError) in
            try CircleMember(
                id: row.next(), username: row.next(), displayName: row.next(),
                isOwner: row.next(), isViewer: row.next(), joinedAt: row.next())
        }.optional
        return Columns(["m.user_id"] + member.expressions) { row throws(PostgresError) in
            try Row(userID: row.next(), member: row.next(member))
        }
    }

    private static func view(
        _ name: String, role: String, isShown: String, _ row: Columns<Row>,
        of dependencies: [Dependency]?, where condition: String
    ) -> GroupedQuery<(Circle, Bool?, Bool), Row> {
        GroupedQuery(
            name, .read,
            by: Columns(circle.expressions + [role, isShown]) { row throws(PostgresError) in
                try (row.next(circle), row.next(), row.next())
            }, row, of: dependencies
        ) {
            """
            SELECT \($0)
            FROM circles c
            JOIN circle_members m ON m.circle_id = c.id
            JOIN users          u ON u.id = m.user_id
            JOIN lists          l ON l.user_id = m.user_id
            WHERE \(condition)
            ORDER BY m.owned IS NULL, m.joined_at, m.seat
            """
        }
    }

    /// The statements for a circle that is referred to in one way.
    struct Lookup: Sendable {
        /// A public circle, with the members whose lists are public. The ids of the others are among
        /// the rows, because the result changes when their lists become public.
        ///
        /// The circle isn't shown while its owner is suspended, or so new that their list is not shown
        /// either. The result changes with that, too, so it isn't a condition. Neither someone whom the
        /// owner has blocked nor someone who has blocked the owner sees the circle: to them, there is no
        /// such user.
        let ofAnyone: GroupedQuery<(Circle, Bool?, Bool), Row>

        /// A circle that the user `$2` is in, with all members except suspended ones.
        let ofMember: GroupedQuery<(Circle, Bool?, Bool), Row>

        /// - Parameters:
        ///   - name: Ends the names of the statements.
        ///   - condition: Whether the circle `c` is the one that `$1` refers to.
        fileprivate init(_ name: String, where condition: String) {
            ofAnyone = Circles.view(
                "circle" + name, role: "NULL::boolean",
                isShown: """
                    EXISTS (SELECT FROM circle_members o JOIN users w ON w.id = o.user_id
                            WHERE o.circle_id = c.id AND o.owned IS NOT NULL
                              AND w.disabled_at IS NULL AND w.new_until IS NULL)
                    """,
                Circles.row(
                    where: "l.audience = 'public'", isViewer: "false",
                    joinedAt: "NULL::timestamptz"),
                of: [.circles(), .users(column: "m.user_id")],
                where: "\(condition) AND c.visibility = 'public'")
            ofMember = Circles.view(
                "circle_of_member" + name,
                role: """
                    (SELECT v.owned IS NOT NULL FROM circle_members v
                     WHERE v.circle_id = c.id AND v.user_id = $2)
                    """, isShown: "true",
                Circles.row(
                    where: "u.disabled_at IS NULL", isViewer: "m.user_id = $2",
                    joinedAt: "m.joined_at"), of: nil,
                where: """
                    \(condition)
                    AND EXISTS (SELECT FROM circle_members v JOIN users w ON w.id = v.user_id
                                WHERE v.circle_id = c.id AND v.user_id = $2
                                  AND w.disabled_at IS NULL)
                    """)
        }
    }

    static let byID = Lookup("", where: "c.id = $1")
    static let bySlug = Lookup("_by_slug", where: "c.slug = $1")

    /// An SQL expression.
    private static let memberCount = """
        (SELECT count(*) FROM circle_members o JOIN users w ON w.id = o.user_id
         WHERE o.circle_id = c.id AND w.disabled_at IS NULL)
        """

    private static let own = Columns<OwnCircle>(
        circle.expressions + ["m.owned IS NOT NULL", memberCount, "m.joined_at"]
    ) { row throws(PostgresError) in
        let circle = try row.next(circle)
        let isOwner: Bool = try row.next()
        return try OwnCircle(
            circle: circle, role: isOwner ? .owner : .member, memberCount: row.next(),
            joinedAt: row.next())
    }

    static let ofUser = Query("circles_of_user", .read, own) {
        """
        SELECT \($0) FROM circle_members m JOIN circles c ON c.id = m.circle_id
        WHERE m.user_id = $1
        ORDER BY fold(c.name), c.id LIMIT \(Circle.joinedLimit)
        """
    }

    /// The same, each with all invitations if the user owns it.
    static let withInvitations = GroupedQuery(
        "circles_with_invitations", .read, by: own, invitation
    ) {
        """
        SELECT \($0)
        FROM circle_members m JOIN circles c ON c.id = m.circle_id
        LEFT JOIN circle_invitations i ON i.circle_id = c.id AND m.owned IS NOT NULL
        WHERE m.user_id = $1
        ORDER BY fold(c.name), c.id, i.created_at DESC, i.id
        """
    }

    private static let rankedGame = Columns<RankedGame>(
        Game.columns.expressions + ["r.rank", "r.count"]
    ) { row throws(PostgresError) in
        try RankedGame(game: row.next(Game.columns), rank: row.next(), includedBy: row.next())
    }

    private static let order = RankOrder(count: "count(*)")

    /// `$1` are the members. They have at most five hundred entries.
    static let rankings = GroupedQuery(
        "circle_rankings", .read,
        by: columns(Platform.columns, column("r.games", Int.self)), rankedGame,
        of: [.users(parameter: 1), .games(), .platforms]
    ) {
        """
        SELECT \($0)
        FROM (
            SELECT *, dense_rank() OVER (ORDER BY picks DESC, platform_name, platform_id)
                      AS platform_place
            FROM (
                SELECT e.platform_id, p.name AS platform_name, e.game_id, count(*) AS count,
                       \(order.rank(within: "e.platform_id")) AS rank,
                       \(order.place(within: "e.platform_id")) AS place,
                       count(*) OVER (PARTITION BY e.platform_id) AS games,
                       sum(count(*)) OVER (PARTITION BY e.platform_id) AS picks
                FROM entries e
                JOIN games g ON g.id = e.game_id
                JOIN platforms p ON p.id = e.platform_id
                WHERE e.user_id = ANY ($1::uuid[]) AND e.audience = 'public'
                  AND ($2::integer IS NULL OR e.platform_id = $2::integer)
                GROUP BY e.platform_id, p.id, e.game_id, g.id
            ) counted
            WHERE count >= $7::integer
        ) r
        JOIN platforms p ON p.id = r.platform_id
        JOIN games g ON g.id = r.game_id
        WHERE r.platform_place BETWEEN $3::integer AND $4::integer
          AND r.place BETWEEN $5::integer AND $6::integer
        ORDER BY r.platform_place, r.place
        """
    }

    static let common = Query(
        "common_games", .read,
        Columns<CommonGame>(Game.columns.expressions + ["s.lists"]) { row throws(PostgresError) in
            try CommonGame(game: row.next(Game.columns), lists: row.next())
        }, of: [.users(parameter: 1), .games()]
    ) {
        """
        SELECT \($0)
        FROM (
            SELECT e.game_id, count(DISTINCT e.user_id) AS lists FROM entries e
            WHERE e.user_id = ANY ($1::uuid[]) AND e.audience = 'public'
            GROUP BY e.game_id HAVING count(DISTINCT e.user_id) > 1
        ) s
        JOIN games g ON g.id = s.game_id
        ORDER BY \(RankOrder(count: "s.lists").keyset) LIMIT $2
        """
    }

    /// `$1` are members.
    static let games = GroupedQuery(
        "games_of_circle_members", .read, by: column("e.user_id", UUID.self), Game.columns,
        of: [.users(parameter: 1), .games()]
    ) {
        """
        SELECT \($0)
        FROM entries e JOIN games g ON g.id = e.game_id
        WHERE e.user_id = ANY ($1::uuid[]) AND e.audience = 'public'
        ORDER BY e.user_id, e.position
        """
    }

    // MARK: Invitations

    private static let invitation = Columns<CircleInvitation>(
        ["i.id", "i.uses", "i.uses_left", "i.created_at", "i.expires_at"]
    ) { row throws(PostgresError) in
        try CircleInvitation(
            id: row.next(), uses: row.next(), usesLeft: row.next(), createdAt: row.next(),
            expiresAt: row.next())
    }

    static let invitations = Query("circle_invitations", .read, invitation) {
        """
        SELECT \($0) FROM circle_invitations i
        WHERE i.circle_id = $1 AND i.uses_left > 0 AND i.expires_at > now()
          AND owns_circle($1, $2)
        ORDER BY i.created_at DESC, i.id LIMIT \(Circle.invitationLimit)
        """
    }

    static let offer = Query(
        "circle_offer", .read,
        Columns<CircleOffer>(
            circle.expressions + [
                "u.display_name", memberCount, "i.expires_at",
                """
                EXISTS (SELECT FROM circle_members v
                        WHERE v.circle_id = c.id AND v.user_id = $2::uuid)
                """,
            ]
        ) { row throws(PostgresError) in
            try CircleOffer(
                circle: row.next(circle), owner: row.next(), memberCount: row.next(),
                expiresAt: row.next(), isMember: row.next())
        }
    ) {
        """
        SELECT \($0)
        FROM circle_invitations i
        JOIN circles        c ON c.id = i.circle_id
        JOIN circle_members o ON o.circle_id = c.id AND o.owned IS NOT NULL
        JOIN users          u ON u.id = o.user_id
        WHERE i.token_hash = $1 AND i.uses_left > 0 AND i.expires_at > now()
          AND u.disabled_at IS NULL
        """
    }
}

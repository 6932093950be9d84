public import FaveGames
public import Foundation
public import Postgres

/// A queued message to a webhook.
public struct QueuedWebhook: Sendable {
    public enum Kind: String, Sendable {
        /// Notifies moderators of a new case.
        case report
        // The others are about a circle.
        case joined, left
        /// There are new games on a member's list.
        case list
        case renamed
        /// The circle's owner tries the webhook out.
        case test
    }

    /// The circle that a message is about.
    public struct Circle: Hashable, Sendable {
        public let id: UUID
        public let ownerID: UUID
        /// The host and the port in the webhook's address.
        public let host: String
    }

    public let id: UUID
    public let kind: Kind
    /// `nil` for a report.
    public let circle: Circle?
    /// The number of attempts so far, including this one.
    public let attempts: Int
    /// When it happened, by the database's clock.
    public let madeAt: Date
}

/// What a message to moderators says about a new case.
public struct CaseNotice: Sendable {
    public let caseID: Int
    /// `ReportedKind`'s name of what was reported.
    public let kind: String
    /// The first reporter's reason.
    public let reason: ReportReason
    /// How many cases are open, this one among them.
    public let openCases: Int
}

/// What a message to a circle's webhook says, and where it goes.
public struct CircleNotice: Sendable {
    public let address: String
    public let secret: [UInt8]
    public let circle: Circle
    /// The member it is about, if their list is public: then everyone in the circle knows the name and the
    /// list.
    public let member: (id: UUID, username: String, displayName: String)?
    /// What a circle was called before it was renamed; `nil` for other kinds.
    public let formerName: String?
}

/// A game on a member's list.
public struct ToldGame: Sendable {
    public let game: Game
    public let platform: Platform
    /// Whether it is new on the list.
    public let isNew: Bool
}

extension Store {
    /// The webhook of a circle for its owner; `nil` for anyone else, and if there is none.
    public func webhook(
        ofCircle id: UUID, by userID: UUID
    ) async throws(PostgresError) -> CircleWebhook? {
        try await database.query(Webhooks.ofCircle, [.uuid(id), .uuid(userID)]).first
    }

    // MARK: Sending

    /// What the message about a report says; `nil` if the case is closed or gone.
    public func caseNotice(_ queued: QueuedWebhook) async throws(PostgresError) -> CaseNotice? {
        try await database.query(Webhooks.caseNotice, [.uuid(queued.id)]).first
    }

    /// What a message to a circle's webhook says; `nil` if there is nothing left to say: the webhook is gone or
    /// has ended, its owner no longer owns the circle or is suspended, or the member has left.
    public func circleNotice(_ queued: QueuedWebhook) async throws(PostgresError) -> CircleNotice? {
        try await database.query(Webhooks.circleNotice, [.uuid(queued.id)]).first
    }

    /// The games of the member whose list has changed, in the order of the list.
    public func toldGames(_ queued: QueuedWebhook) async throws(PostgresError) -> [ToldGame] {
        try await database.query(Webhooks.games, [.uuid(queued.id)])
    }
}

package enum Webhooks {
    /// For statements where `q` is the message, and `w` the webhook if it is about a circle.
    package static let queued = Columns<QueuedWebhook>(
        ["q.id", "q.kind", "q.circle_id", "w.owner_id", host, "q.attempts", "q.made_at"]
    ) { row throws(PostgresError) in
        let (id, kind): (UUID, QueuedWebhook.Kind) = try (row.next(), row.next())
        let (circle, owner, host): (UUID?, UUID?, String?) =
            try (row.next(), row.next(), row.next())
        var about: QueuedWebhook.Circle?
        if let circle, let owner, let host {
            about = QueuedWebhook.Circle(id: circle, ownerID: owner, host: host)
        }
        return try QueuedWebhook(
            id: id, kind: kind, circle: about, attempts: row.next(), madeAt: row.next())
    }

    /// An SQL expression.
    package static let host = "lower(split_part(split_part(w.address, '/', 3), '?', 1))"

    private static let webhook = Columns<CircleWebhook>(
        [
            "w.address", "w.made_at", "w.sent_at", "w.failed_at", "w.failure",
            "w.ended_at IS NOT NULL", "w.dropped", "w.dropped_at",
        ]
    ) { row throws(PostgresError) in
        let (address, createdAt, deliveredAt): (String, Date, Date?) =
            try (row.next(), row.next(), row.next())
        let (failedAt, reason): (Date?, String?) = try (row.next(), row.next())
        let (hasEnded, count, droppedAt): (Bool, Int, Date?) =
            try (row.next(), row.next(), row.next())
        return CircleWebhook(
            address: address, createdAt: createdAt, deliveredAt: deliveredAt,
            failure: failedAt.flatMap { at in reason.map { (at, $0) } }, hasEnded: hasEnded,
            dropped: droppedAt.map { (count, $0) })
    }

    static let ofCircle = Query("circle_webhook", .read, webhook) {
        """
        SELECT \($0) FROM circle_webhooks w
        WHERE w.circle_id = $1 AND w.owner_id = $2 AND owns_circle($1, $2)
        """
    }

    /// All of a user's, with their circles.
    static let ofOwner = Query(
        "webhooks_of_owner", .read, columns(column("w.circle_id", UUID.self), webhook)
    ) {
        """
        SELECT \($0) FROM circle_webhooks w WHERE w.owner_id = $1 ORDER BY w.made_at, w.circle_id
        """
    }

    static let caseNotice = Query(
        "case_notice", .read,
        Columns<CaseNotice>([
            "c.id", "c.kind",
            "(SELECT r.reason FROM reports r WHERE r.case_id = c.id ORDER BY r.made_at LIMIT 1)",
            "(SELECT count(*) FROM cases o WHERE o.closed_at IS NULL)",
        ]) { row throws(PostgresError) in
            let (id, kind): (Int, String) = try (row.next(), row.next())
            let reason: ReportReason? = try row.next()
            return try CaseNotice(
                caseID: id, kind: kind, reason: reason ?? .other, openCases: row.next())
        }
    ) {
        """
        SELECT \($0) FROM outgoing_webhooks q JOIN cases c ON c.id = q.case_id
        WHERE q.id = $1 AND c.closed_at IS NULL
        """
    }

    static let circleNotice = Query(
        "circle_notice", .read,
        Columns<CircleNotice>(
            ["w.address", "w.secret"] + Circles.circle.expressions
                + ["u.id", "u.username", "u.display_name", "q.former_name"]
        ) { row throws(PostgresError) in
            let (address, secret): (String, PostgresBytes) = try (row.next(), row.next())
            let circle = try row.next(Circles.circle)
            let (id, username): (UUID?, String?) = try (row.next(), row.next())
            let displayName: String? = try row.next()
            var member: (UUID, String, String)?
            if let id, let username, let displayName { member = (id, username, displayName) }
            return try CircleNotice(
                address: address, secret: secret.bytes, circle: circle, member: member,
                formerName: row.next())
        }
    ) {
        """
        SELECT \($0)
        FROM outgoing_webhooks q
        JOIN circle_webhooks w ON w.circle_id = q.circle_id AND w.ended_at IS NULL
        JOIN circles         c ON c.id = q.circle_id
        JOIN circle_members  m ON m.circle_id = q.circle_id AND m.user_id = w.owner_id
                              AND m.owned IS NOT NULL
        JOIN users           o ON o.id = w.owner_id AND o.disabled_at IS NULL
        LEFT JOIN lists      l ON l.user_id = q.user_id AND l.audience = 'public'
                              AND NOT are_apart(w.owner_id, q.user_id)
        LEFT JOIN users      u ON u.id = l.user_id
        WHERE q.id = $1
          AND (q.kind NOT IN ('joined', 'list')
               OR EXISTS (SELECT FROM circle_members v
                          WHERE v.circle_id = q.circle_id AND v.user_id = q.user_id))
        """
    }

    static let games = Query(
        "told_games", .read,
        Columns<ToldGame>(
            Game.columns.expressions + Platform.columns.expressions
                + ["e.created_at BETWEEN q.made_at AND q.tried_at"]
        ) { row throws(PostgresError) in
            try ToldGame(
                game: row.next(Game.columns), platform: row.next(Platform.columns),
                isNew: row.next())
        }
    ) {
        """
        SELECT \($0)
        FROM outgoing_webhooks q
        JOIN entries   e ON e.user_id = q.user_id AND e.audience = 'public'
        JOIN games     g ON g.id = e.game_id
        JOIN platforms p ON p.id = e.platform_id
        WHERE q.id = $1
        ORDER BY e.position
        """
    }
}

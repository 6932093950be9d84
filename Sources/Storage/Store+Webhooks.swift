import FaveGames
import Foundation
import Postgres

/// A circle's webhook, as the circle's owner sees it.
public struct CircleWebhook: Sendable {
    public let address: String
    public let createdAt: Date
    /// When something was last delivered; `nil` if nothing was.
    public let deliveredAt: Date?
    /// The last attempt, if it failed.
    public let failure: (at: Date, reason: String)?
    /// Whether the receiver wants nothing more, so that nothing is sent.
    public let hasEnded: Bool
    /// How many messages were dropped, and when the last one was; `nil` if none was.
    public let dropped: (count: Int, at: Date)?
}

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
    public let member: (username: String, displayName: String)?
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

    /// Replaces the webhook of a circle for its owner, with everything that is queued for it.
    ///
    /// - Throws: `CircleError.notFound`, also for anyone but the owner.
    @_spi(Writing) public func setWebhook(
        ofCircle id: UUID, by userID: UUID, address: WebhookAddress, secret: [UInt8]
    ) async throws {
        let isSet = try await database.row(
            Webhooks.set,
            [
                .uuid(id), .uuid(userID), .text(address.description), .bytes(secret),
                .uuid(database.viewer?.wayIn),
            ])
        guard isSet else { throw CircleError.notFound }
    }

    /// Removes the webhook of a circle for its owner. One that isn't there counts as removed.
    ///
    /// - Throws: `CircleError.notFound`, also for anyone but the owner.
    @_spi(Writing) public func removeWebhook(ofCircle id: UUID, by userID: UUID) async throws {
        let isRemoved = try await database.row(Webhooks.remove, [.uuid(id), .uuid(userID)])
        guard isRemoved else { throw CircleError.notFound }
    }

    /// Queues a test of a circle's webhook for the circle's owner.
    ///
    /// - Throws: `CircleError.noWebhook`, also for anyone but the owner; `webhookQueueFull`.
    @_spi(Writing) public func testWebhook(ofCircle id: UUID, by userID: UUID) async throws {
        let outcome = try await database.query(Webhooks.test, [.uuid(id), .uuid(userID)]).first
        guard let isQueued = outcome ?? nil else { throw CircleError.noWebhook }
        guard isQueued else { throw CircleError.webhookQueueFull }
    }

    // MARK: Sending

    /// The next message for moderators that is due. No one else gets it for two minutes.
    @_spi(Writing) public func takeReportWebhook() async throws(PostgresError) -> QueuedWebhook? {
        try await database.query(Webhooks.takeReport).first
    }

    /// The next message about a circle that is due. No one else gets it for two minutes.
    ///
    /// Of a circle, usually only one at a time is sent. While an attempt waits to be repeated nothing else
    /// is tried but tests: a receiver that is down is asked once at each time.
    ///
    /// - Parameters:
    ///   - owners: Those whose messages wait longer, because enough of them are being sent.
    ///   - hosts: The same for the hosts that they go to.
    @_spi(Writing) public func takeCircleWebhook(
        besidesOwners owners: [UUID], hosts: [String]
    ) async throws(PostgresError) -> QueuedWebhook? {
        try await database.query(Webhooks.takeChange, [.uuids(owners), .texts(hosts)]).first
    }

    /// What the message about a report says; `nil` if the case is closed or gone.
    public func caseNotice(
        _ queued: QueuedWebhook
    ) async throws(PostgresError) -> CaseNotice? {
        try await database.query(Webhooks.caseNotice, [.uuid(queued.id)]).first
    }

    /// What a message to a circle's webhook says; `nil` if there is nothing left to say: the webhook is gone or
    /// has ended, its owner no longer owns the circle or is suspended, or the member has left.
    public func circleNotice(
        _ queued: QueuedWebhook
    ) async throws(PostgresError) -> CircleNotice? {
        try await database.query(Webhooks.circleNotice, [.uuid(queued.id)]).first
    }

    /// The games of the member whose list has changed, in the order of the list.
    public func toldGames(_ queued: QueuedWebhook) async throws(PostgresError) -> [ToldGame] {
        try await database.query(Webhooks.games, [.uuid(queued.id)])
    }

    /// Removes a message that was delivered, or about which there is nothing left to say.
    @_spi(Writing) public func finishWebhook(_ queued: QueuedWebhook) async throws(PostgresError) {
        try await database.query(Webhooks.finish, [.uuid(queued.id)])
    }

    /// Removes a message that can't be delivered, and notes that for the circle's owner.
    @_spi(Writing) public func dropWebhook(
        _ queued: QueuedWebhook, because failure: String
    ) async throws(PostgresError) {
        try await database.query(Webhooks.drop, [.uuid(queued.id), .text(failure)])
    }

    /// The circles whose messages were dropped since this was last asked, by whatever server, with how many.
    @_spi(Writing) public func logDroppedWebhooks()
        async throws(PostgresError) -> [(circleID: UUID, count: Int)]
    {
        try await database.query(Webhooks.logDropped).map { (circleID: $0, count: $1) }
    }

    /// Tries again after some seconds.
    @_spi(Writing) public func postponeWebhook(
        _ queued: QueuedWebhook, seconds: Int
    ) async throws(PostgresError) {
        try await database.query(Webhooks.postpone, [.uuid(queued.id), .int(seconds)])
    }

    /// Notes for a circle's owner how an attempt ended, unless the webhook has been replaced. After
    /// a delivery, the messages that wait to be repeated are due.
    ///
    /// - Parameters:
    ///   - failure: `nil` if it was delivered.
    ///   - hasEnded: Whether the receiver wants nothing more.
    @_spi(Writing) public func noteWebhook(
        for queued: QueuedWebhook, failure: String?, hasEnded: Bool
    ) async throws(PostgresError) {
        try await database.query(
            Webhooks.note, [.uuid(queued.id), .text(failure), .bool(hasEnded)])
    }
}

enum Webhooks {
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

    static let set = Query(
        "set_circle_webhook", .write, column("set_circle_webhook($1, $2, $3, $4, $5)", Bool.self)
    )

    static let remove = Query(
        "remove_circle_webhook", .write, column("remove_circle_webhook($1, $2)", Bool.self)
    )

    static let test = Query(
        "test_circle_webhook", .write, column("queue_webhook('test', $1, NULL)", Bool?.self)
    ) { "SELECT \($0) WHERE owns_circle($1, $2)" }

    /// For statements where `q` is the message, and `w` the webhook if it is about a circle.
    private static let queued = Columns<QueuedWebhook>(
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
    private static let host = "lower(split_part(split_part(w.address, '/', 3), '?', 1))"

    /// The lease is longer than the longest attempt.
    private static let lease = """
        attempts = attempts + 1, tried_at = coalesce(tried_at, now()),
        due_at = now() + interval '2 minutes'
        """

    static let takeReport = Query("take_report_webhook", .write, queued) {
        """
        WITH q AS (
            UPDATE outgoing_webhooks SET \(lease)
            WHERE id = (SELECT id FROM outgoing_webhooks
                        WHERE due_at <= now() AND kind = 'report'
                        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING *
        )
        SELECT \($0) FROM q LEFT JOIN circle_webhooks w ON w.circle_id = q.circle_id
        """
    }

    static let takeChange = Query("take_circle_webhook", .write, queued) {
        """
        WITH q AS (
            UPDATE outgoing_webhooks SET \(lease)
            WHERE id = (SELECT q.id
                        FROM outgoing_webhooks q
                        JOIN circle_webhooks w ON w.circle_id = q.circle_id
                        WHERE q.due_at <= now()
                          AND w.owner_id <> ALL ($1::uuid[]) AND \(host) <> ALL ($2::text[])
                          AND (q.kind = 'test'
                               OR NOT EXISTS (SELECT FROM outgoing_webhooks o
                                              WHERE o.circle_id = q.circle_id
                                                AND o.tried_at IS NOT NULL AND o.due_at > now()))
                        ORDER BY q.due_at LIMIT 1 FOR UPDATE OF q SKIP LOCKED)
            RETURNING *
        )
        SELECT \($0) FROM q LEFT JOIN circle_webhooks w ON w.circle_id = q.circle_id
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
                + ["u.username", "u.display_name"]
        ) { row throws(PostgresError) in
            let (address, secret): (String, PostgresBytes) = try (row.next(), row.next())
            let circle = try row.next(Circles.circle)
            let (username, name): (String?, String?) = try (row.next(), row.next())
            return CircleNotice(
                address: address, secret: secret.bytes, circle: circle,
                member: username.flatMap { username in name.map { (username, $0) } })
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

    static let finish = Statement(
        "finish_webhook", .write, "DELETE FROM outgoing_webhooks WHERE id = $1")

    /// The webhook first, as everyone locks them.
    static let drop = Statement(
        "drop_webhook", .write,
        """
        WITH noted AS (
            UPDATE circle_webhooks
            SET dropped = dropped + 1, dropped_at = now(), failed_at = now(), failure = $2
            WHERE circle_id = (SELECT circle_id FROM outgoing_webhooks WHERE id = $1)
            RETURNING circle_id
        )
        DELETE FROM outgoing_webhooks WHERE id = $1 AND (SELECT count(*) FROM noted) IS NOT NULL
        """)

    static let logDropped = Query(
        "log_dropped_webhooks", .write,
        columns(column("w.circle_id", UUID.self), column("n.count", Int.self))
    ) {
        """
        UPDATE circle_webhooks w SET logged = w.dropped
        FROM (SELECT circle_id, dropped - logged AS count FROM circle_webhooks
              WHERE dropped > logged
              ORDER BY circle_id LIMIT 100 FOR NO KEY UPDATE SKIP LOCKED) n
        WHERE w.circle_id = n.circle_id
        RETURNING \($0)
        """
    }

    static let postpone = Statement(
        "postpone_webhook", .write,
        """
        UPDATE outgoing_webhooks SET due_at = now() + $2::integer * interval '1 second'
        WHERE id = $1
        """)

    static let note = Statement(
        "note_webhook", .write,
        """
        WITH noted AS (
            UPDATE circle_webhooks
            SET sent_at   = CASE WHEN $2::text IS NULL THEN now() ELSE sent_at END,
                failed_at = CASE WHEN $2::text IS NULL THEN NULL ELSE now() END,
                failure   = $2::text,
                ended_at  = CASE WHEN $3::boolean THEN now() ELSE ended_at END
            WHERE circle_id = (SELECT circle_id FROM outgoing_webhooks WHERE id = $1)
            RETURNING circle_id
        )
        UPDATE outgoing_webhooks q SET due_at = now()
        FROM noted n
        WHERE $2::text IS NULL AND q.circle_id = n.circle_id AND q.id <> $1
          AND q.tried_at IS NOT NULL AND q.due_at > now() + interval '2 minutes'
        """)
}

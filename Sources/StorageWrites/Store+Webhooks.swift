import FaveGames
import Foundation
import Postgres
import Storage

extension Store {
    /// Replaces the webhook of a circle for its owner, with everything that is queued for it.
    ///
    /// - Throws: `CircleError.notFound`, also for anyone but the owner.
    public func setWebhook(
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
    public func removeWebhook(ofCircle id: UUID, by userID: UUID) async throws {
        let isRemoved = try await database.row(Webhooks.remove, [.uuid(id), .uuid(userID)])
        guard isRemoved else { throw CircleError.notFound }
    }

    /// Queues a test of a circle's webhook for the circle's owner.
    ///
    /// - Throws: `CircleError.noWebhook`, also for anyone but the owner; `webhookQueueFull`.
    public func testWebhook(ofCircle id: UUID, by userID: UUID) async throws {
        let outcome = try await database.query(Webhooks.test, [.uuid(id), .uuid(userID)]).first
        guard let isQueued = outcome ?? nil else { throw CircleError.noWebhook }
        guard isQueued else { throw CircleError.webhookQueueFull }
    }

    // MARK: Sending

    /// The next message for moderators that is due. No one else gets it for two minutes.
    public func takeReportWebhook() async throws(PostgresError) -> QueuedWebhook? {
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
    public func takeCircleWebhook(
        besidesOwners owners: [UUID], hosts: [String]
    ) async throws(PostgresError) -> QueuedWebhook? {
        try await database.query(Webhooks.takeChange, [.uuids(owners), .texts(hosts)]).first
    }

    /// Removes a message that was delivered, or about which there is nothing left to say.
    public func finishWebhook(_ queued: QueuedWebhook) async throws(PostgresError) {
        try await database.query(Webhooks.finish, [.uuid(queued.id)])
    }

    /// Removes a message that can't be delivered, and notes that for the circle's owner.
    public func dropWebhook(
        _ queued: QueuedWebhook, because failure: String
    ) async throws(PostgresError) {
        try await database.query(Webhooks.drop, [.uuid(queued.id), .text(failure)])
    }

    /// The circles whose messages were dropped since this was last asked, by whatever server, with how many.
    public func logDroppedWebhooks() async throws(PostgresError) -> [(circleID: UUID, count: Int)] {
        try await database.query(Webhooks.logDropped).map { (circleID: $0, count: $1) }
    }

    /// Tries again after some seconds.
    public func postponeWebhook(_ queued: QueuedWebhook, seconds: Int) async throws(PostgresError) {
        try await database.query(Webhooks.postpone, [.uuid(queued.id), .int(seconds)])
    }

    /// Notes for a circle's owner how an attempt ended, unless the webhook has been replaced. After
    /// a delivery, the messages that wait to be repeated are due.
    ///
    /// - Parameters:
    ///   - failure: `nil` if it was delivered.
    ///   - hasEnded: Whether the receiver wants nothing more.
    public func noteWebhook(
        for queued: QueuedWebhook, failure: String?, hasEnded: Bool
    ) async throws(PostgresError) {
        try await database.query(
            Webhooks.note, [.uuid(queued.id), .text(failure), .bool(hasEnded)])
    }
}

extension Webhooks {
    static let set = Query(
        "set_circle_webhook", .write, column("set_circle_webhook($1, $2, $3, $4, $5)", Bool.self)
    )

    static let remove = Query(
        "remove_circle_webhook", .write, column("remove_circle_webhook($1, $2)", Bool.self)
    )

    static let test = Query(
        "test_circle_webhook", .write, column("queue_webhook('test', $1, NULL)", Bool?.self)
    ) { "SELECT \($0) WHERE owns_circle($1, $2)" }

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

public import Foundation
public import Postgres
public import Storage

/// A queue of what is sent to other servers.
public struct OutgoingQueue: Sendable {
    public static let mail = OutgoingQueue(of: "mail", in: "outgoing_mail")
    public static let webhooks = OutgoingQueue(of: "webhook", in: "outgoing_webhooks")

    /// An SQL assignment. The lease is longer than the longest attempt.
    fileprivate static let lease =
        "attempts = attempts + 1, due_at = now() + interval '2 minutes'"

    fileprivate let finish: Statement
    fileprivate let postpone: Statement

    private init(of what: String, in table: String) {
        finish = Statement("finish_\(what)", .write, "DELETE FROM \(table) WHERE id = $1")
        postpone = Statement(
            "postpone_\(what)", .write,
            "UPDATE \(table) SET due_at = now() + $2::integer * interval '1 second' WHERE id = $1")
    }
}

extension Store {
    /// Removes what was sent, or needn't be.
    public func finish(_ id: UUID, in queue: OutgoingQueue) async throws(PostgresError) {
        try await database.query(queue.finish, [.uuid(id)])
    }

    /// Tries again after some seconds.
    public func postpone(
        _ id: UUID, in queue: OutgoingQueue, seconds: Int
    ) async throws(PostgresError) {
        try await database.query(queue.postpone, [.uuid(id), .int(seconds)])
    }

    // MARK: Mail

    /// The next mail that is due. No one else gets it for two minutes.
    public func takeMail() async throws(PostgresError) -> QueuedMail? {
        try await database.query(Outbox.takeMail).first
    }

    // MARK: Webhooks

    /// The next message for moderators that is due. No one else gets it for two minutes.
    public func takeReportWebhook() async throws(PostgresError) -> QueuedWebhook? {
        try await database.query(Outbox.takeReport).first
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
        try await database.query(Outbox.takeChange, [.uuids(owners), .texts(hosts)]).first
    }

    /// Removes a message that can't be delivered, and notes that for the circle's owner.
    public func dropWebhook(
        _ queued: QueuedWebhook, because failure: String
    ) async throws(PostgresError) {
        try await database.query(Outbox.drop, [.uuid(queued.id), .text(failure)])
    }

    /// The circles whose messages were dropped since this was last asked, by whatever server, with how many.
    public func logDroppedWebhooks() async throws(PostgresError) -> [(circleID: UUID, count: Int)] {
        try await database.query(Outbox.logDropped).map { (circleID: $0, count: $1) }
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
            Outbox.note, [.uuid(queued.id), .text(failure), .bool(hasEnded)])
    }
}

private enum Outbox {
    // MARK: Mail

    static let takeMail = Query("take_mail", .write, MailQueries.queuedMail) {
        """
        UPDATE outgoing_mail SET \(OutgoingQueue.lease)
        WHERE id = (SELECT id FROM outgoing_mail WHERE due_at <= now()
                    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING \($0)
        """
    }

    // MARK: Webhooks

    static let takeReport = Query("take_report_webhook", .write, Webhooks.queued) {
        """
        WITH q AS (
            UPDATE outgoing_webhooks SET tried_at = coalesce(tried_at, now()), \(OutgoingQueue.lease)
            WHERE id = (SELECT id FROM outgoing_webhooks
                        WHERE due_at <= now() AND kind = 'report'
                        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING *
        )
        SELECT \($0) FROM q LEFT JOIN circle_webhooks w ON w.circle_id = q.circle_id
        """
    }

    static let takeChange = Query("take_circle_webhook", .write, Webhooks.queued) {
        """
        WITH q AS (
            UPDATE outgoing_webhooks SET tried_at = coalesce(tried_at, now()), \(OutgoingQueue.lease)
            WHERE id = (SELECT q.id
                        FROM outgoing_webhooks q
                        JOIN circle_webhooks w ON w.circle_id = q.circle_id
                        WHERE q.due_at <= now()
                          AND w.owner_id <> ALL ($1::uuid[]) AND \(Webhooks.host) <> ALL ($2::text[])
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

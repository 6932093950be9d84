import Foundation
package import Postgres

/// The table of changes: the question that a check asks about it, and the response.
package enum Changes {
    /// Where the next question begins: what has changed since this point?
    struct Point: Sendable {
        let snapshot: Snapshot
        /// The server that took the snapshot. Another server's snapshots mean nothing here.
        let server: Server
        /// When the server last lost its statistics, as in each crash. A crash of one of its
        /// processes changes neither its start nor its timeline, but transactions that were not
        /// flushed are undone, and other transactions get their ids.
        let crash: Date
        /// The table of changes. After a restore it is a different table.
        let table: Int
        /// In days since 2000.
        let day: Int

        /// Whether a check can find the changes between the two points.
        func continues(_ earlier: Point) -> Bool {
            server == earlier.server && crash == earlier.crash && table == earlier.table
        }
    }

    /// A run of a primary. A server that becomes the primary begins a timeline, and a former
    /// primary is restarted. So the history of a run is continuous: its transactions can be
    /// compared. The system identifier can't differ unless the start does, and PostgreSQL would
    /// read it from a file.
    struct Server: Equatable, Sendable {
        /// When the server was started.
        let start: Date
        let timeline: String
    }

    /// The transactions that a snapshot does not show: those from `end` on, and the running ones.
    struct Snapshot: Sendable {
        /// All transactions before this one are shown, or were rolled back.
        let start: String
        let end: String
        /// The running transactions between the two, separated by commas.
        let running: String

        /// Reads the text of a `pg_snapshot`: `10:20:10,14,15`.
        init?(_ text: String) {
            // Byte by byte, since this is read for every check.
            let colon = UInt8(ascii: ":")
            let bytes = text.utf8
            guard let first = bytes.firstIndex(of: colon),
                let last = bytes[bytes.index(after: first)...].firstIndex(of: colon)
            else { return nil }
            start = String(text[..<first])
            end = String(text[bytes.index(after: first)..<last])
            running = String(text[bytes.index(after: last)...])
            guard !running.utf8.contains(colon) else { return nil }
        }
    }

    struct Response: Sendable {
        /// Where the next question begins. `nil` if a standby responded: its snapshot does not list
        /// the transactions that are running on its primary, and its rows are older.
        let point: Point?
        /// Whether no change since the question's point has been deleted. `false` if the
        /// question had no point.
        let isComplete: Bool
        /// The keys of the changes since the question's point.
        let keys: [String]
    }

    /// More keys than this are not read: making the responses again is as quick.
    static let limit = 5_000

    /// The parameters of `check`.
    ///
    /// - Parameter point: `nil` if nothing is known.
    static func parameters(since point: Point?) -> [PostgresParameter] {
        guard let snapshot = point?.snapshot else { return [nil, nil, nil] }
        return [.text(snapshot.start), .text(snapshot.end), .text("{" + snapshot.running + "}")]
    }

    /// `$1` to `$3` are the start, the end and the running transactions of the previous check; NULL
    /// for the first check. Busy loops run this some thousand times a second, so nothing is sorted,
    /// and the snapshot is not read again from its text.
    static let check = Query(
        "changes", .read,
        Columns<Response>([
            "pg_current_snapshot()::text",
            "CASE WHEN NOT pg_is_in_recovery() THEN pg_postmaster_start_time() END",
            "CASE WHEN NOT pg_is_in_recovery() THEN \(PostgresPool.timeline) END",
            "pg_stat_get_bgwriter_stat_reset_time()",
            "to_regclass('changes')::oid::bigint",
            "\(Today.sql) - date '2000-01-01'",
            // Reads one row that still exists, unlike a search for the oldest one.
            """
            (SELECT c.xid FROM changes c WHERE c.xid <= $1::text::xid8
             ORDER BY c.xid DESC LIMIT 1) IS NOT NULL
            """,
            // The changes that a snapshot does not show: later ones, and those of running
            // transactions. So a transaction that stays open does not make this read more. A change
            // with a future transaction is visible only if it was restored from another cluster.
            """
            ARRAY(SELECT unnest(c.keys) FROM changes c
                  WHERE c.xid >= $2::text::xid8 AND c.xid < pg_snapshot_xmax(pg_current_snapshot())
                     OR c.xid = ANY ($3::text::xid8[])
                  LIMIT \(limit + 1))
            """,
        ]) { row throws(PostgresError) in
            let snapshot = Snapshot(try row.next())
            let start: Date? = try row.next()
            let timeline: String? = try row.next()
            let crash: Date? = try row.next()
            let table: Int = try row.next()
            let day: Int = try row.next()
            var point: Point?
            if let snapshot, let start, let timeline, let crash {
                point = Point(
                    snapshot: snapshot, server: Server(start: start, timeline: timeline),
                    crash: crash, table: table, day: day)
            }
            return try Response(point: point, isComplete: row.next(), keys: row.next())
        },
        // Responses from memory wait for it, and a read behind it may take long.
        respondsAtOnce: true)

    /// Deletes some of the changes that checks no longer need, and some of the changes that were
    /// restored from another cluster. Returns their number.
    package static let delete = Query(
        "delete_changes", .write, column("delete_changes(20000)", Int.self)
    )
}

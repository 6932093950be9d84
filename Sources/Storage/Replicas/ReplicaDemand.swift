import Foundation
import Postgres

/// The state that a standby must have reached before its responses are as recent as the primary's
/// at a check.
///
/// The end of the log alone does not prove this: a standby that has followed a lost timeline may
/// have a longer log with other contents. So the standby must also show a witness, a row that this
/// primary has written. A standby that shows the witness has the primary's history up to that row.
/// Replay only moves forward, so a standby that shows the witness, and has replayed up to the mark,
/// has everything that the check saw.
struct ReplicaDemand: Hashable, Sendable {
    /// A row of `changes` that belongs to only one history: after two histories diverge, they give
    /// the same transaction's row different times.
    struct Witness: Hashable, Sendable {
        let server: ChangeFeed.Server
        let transaction: String
        let time: String
    }

    let mark: ChangeFeed.Mark
    let witness: Witness

    /// - Returns: `nil` unless the same primary has made the mark and the witness.
    init?(_ mark: ChangeFeed.Mark, _ witness: Witness) {
        guard mark.server == witness.server else { return nil }
        self.mark = mark
        self.witness = witness
    }

    /// The gate for reads.
    var gate: BoundStatement { BoundStatement(Self.gate, parameters) }

    var parameters: [PostgresParameter] {
        [
            .text(mark.position), .text(witness.transaction), .text(witness.time), .int(mark.day),
        ]
    }

    private static let isReplayed = "pg_last_wal_replay_lsn() >= $1::text::pg_lsn"

    private static let showsWitness = """
        EXISTS (SELECT FROM changes
                WHERE xid = $2::text::xid8 AND at = $3::text::timestamptz)
        """

    /// Whether the standby's date is the one that the primary had.
    private static let isSameDay = "\(PastRankings.today) - date '2000-01-01' = $4::integer"

    /// On a primary, the last replayed position is from before its promotion, or NULL.
    private static let isOpen = """
        pg_is_in_recovery() AND coalesce(\(isReplayed), false) AND \(isSameDay)
        AND \(showsWitness)
        """

    private static let gate = Statement("replica_gate", .read, "SELECT \(isOpen)")

    struct Probe: Sendable {
        let isStandby: Bool
        let isOpen: Bool
        let isBehind: Bool
        let showsWitness: Bool
        /// In bytes; `nil` if nothing is replayed.
        let lag: Int?
    }

    static let probe = Query(
        "replica_probe", .read,
        Columns<Probe>([
            "pg_is_in_recovery()", isOpen, "NOT coalesce(\(isReplayed), false)", showsWitness,
            "pg_wal_lsn_diff($1::text::pg_lsn, pg_last_wal_replay_lsn())::bigint",
        ]) { row throws(PostgresError) in
            try Probe(
                isStandby: row.next(), isOpen: row.next(), isBehind: row.next(),
                showsWitness: row.next(), lag: row.next())
        }
    ) { "SELECT \($0)" }

    /// Writes a witness.
    static let testify = Query(
        "replica_witness", .write,
        Columns<(start: Date, timeline: String, transaction: String, time: String)>([
            "pg_postmaster_start_time()", PostgresPool.timeline, "xid::text", "at::text",
        ]) { row throws(PostgresError) in
            try (start: row.next(), timeline: row.next(), transaction: row.next(), time: row.next())
        }
    ) { "INSERT INTO changes (keys) VALUES ('{}') RETURNING \($0)" }
}

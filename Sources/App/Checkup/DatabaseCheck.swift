import Foundation
import Postgres
import Storage
import StorageWrites

/// Tries on the database what a server does there all the time.
struct DatabaseCheck {
    let session: BlockingSession

    /// How far the clocks of the two machines may be apart without anyone noticing.
    private static let clockTolerance = 5.0
    /// Tokens and links are valid for minutes, so this breaks sign-ins.
    private static let clockLimit = 60.0

    /// Tables on which the role lacks a right, with the remedy; `nil` if it has all.
    func missingRights() throws -> String? {
        let rows = try session.query(
            """
            SELECT c.relname::text, quote_ident(current_user)
            FROM pg_class c
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
              AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
                       AND has_table_privilege(c.oid, 'UPDATE')
                       AND has_table_privilege(c.oid, 'DELETE'))
            ORDER BY c.relname
            """)
        guard !rows.isEmpty else { return nil }
        let names: [String] = try rows.map { try $0[0] }
        let shown = names.prefix(3).joined(separator: ", ")
        let others = names.count > 3 ? " and \(names.count - 3) more tables" : ""
        let role: String = try rows[0][1]
        return """
            \(role) may not read and write \(shown)\(others). As the owner of the tables, or a superuser: \
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)
            """
    }

    /// Writes what takes room in a table, and takes it back.
    ///
    /// - Throws: The error of PostgreSQL that a save would meet.
    func tryWriting() throws {
        struct TakenBack: Error {}
        do {
            try session.withTransaction {
                // It can't be compressed, so it takes new pages from the file system.
                try session.execute(
                    """
                    INSERT INTO public.idempotency_records (key_hash, fingerprint, network, response)
                    SELECT digest, digest, digest,
                           (SELECT decode(string_agg(md5(random()::text), ''), 'hex')
                            FROM generate_series(1, 60000))
                    FROM (SELECT sha256(convert_to(random()::text, 'UTF8')) AS digest) d
                    """)
                throw TakenBack()
            }
        } catch is TakenBack {}
    }

    /// How far PostgreSQL's clock is ahead of this machine's, in seconds.
    func clockDifference() throws -> Double {
        let before = Date().timeIntervalSince1970
        let theirs: Double = try session.query(
            "SELECT extract(epoch FROM clock_timestamp())::float8")[0][0]
        return theirs - (before + Date().timeIntervalSince1970) / 2
    }

    /// Whether the clocks agree, in words.
    static func clocks(difference: Double) -> (Finding.Verdict, String) {
        let seconds = abs(difference)
        guard seconds >= clockTolerance else {
            return (.good, "this machine's and PostgreSQL's agree")
        }
        let time = Duration.seconds(seconds).formatted(
            .units(allowed: [.hours, .minutes, .seconds], width: .wide, maximumUnitCount: 2))
        return (
            seconds < clockLimit ? .notice : .bad,
            """
            PostgreSQL's is \(time) \(difference > 0 ? "ahead of" : "behind") this machine's. Set both by \
            the network: timedatectl set-ntp true
            """
        )
    }

    /// When the last backup was made; `nil` if none ever was.
    func lastBackup() throws -> Date? {
        try session.query(
            "SELECT succeeded_at FROM maintenance WHERE task = $1", [.text(Backups.task)]
        ).first.flatMap { try $0[0] as Date? }
    }

    /// Whether the last backup is recent enough, in words.
    static func backup(_ last: Date?, now: Date = Date()) -> (Finding.Verdict, String) {
        let remedy = """
            Make one every night: systemctl enable --now fave-games-backup.timer, or your own way with \
            fave-admin backup
            """
        guard let last else { return (.notice, "none was ever made. \(remedy)") }
        let hours = Int(now.timeIntervalSince(last) / 3600)
        return Backups.areRecent(last, now: now)
            ? (.good, "the last was made at \(last.formatted(.iso8601))")
            : (.bad, "the last was made \(hours / 24) days ago. \(remedy)")
    }
}

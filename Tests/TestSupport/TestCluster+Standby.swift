import Foundation
import Postgres

extension TestCluster {
    /// Makes and starts a standby that follows this cluster, with a folder and a socket of its own.
    public func makeStandby() throws -> TestCluster { try TestCluster(copying: self) }

    /// A session that a standby accepts, too.
    public func session(_ database: String = "postgres") throws -> BlockingSession {
        try BlockingSession(
            connectionString: url(database) + " target_session_attrs=any", applicationName: "test")
    }

    /// Makes a standby the primary, and waits until it is.
    public func promote() throws {
        let isPromoted: Bool = try session().query("SELECT pg_promote()")[0][0]
        guard isPromoted else { throw TestFailure("the standby was not promoted") }
    }

    /// Waits until a standby shows all that a primary has written by now.
    public func catchUp(with primary: TestCluster) throws {
        // What is committed is flushed, and with it all that was written before.
        let end: String = try primary.session().query(
            """
            SELECT pg_current_wal_insert_lsn()::text
            FROM pg_logical_emit_message(true, 'test', '')
            """)[0][0]
        let session = try session()
        for _ in 0..<20_000 {
            let isThere: Bool = try session.query(
                "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", [.text(end)])[0][0]
            if isThere { return }
            usleep(1000)
        }
        throw TestFailure("the standby did not catch up")
    }
}

extension TestCluster {
    /// From now on a commit is acknowledged only once a standby has it, too.
    public func demandStandby() throws {
        let session = try session()
        try session.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try session.execute("SELECT pg_reload_conf()")
        for _ in 0..<5_000 {
            let isSynchronous: Bool = try self.session().query(
                """
                SELECT current_setting('synchronous_standby_names') = '*'
                   AND EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')
                """)[0][0]
            if isSynchronous { return }
            usleep(1000)
        }
        throw TestFailure("no synchronous standby")
    }

    /// Starts a cluster that was stopped as a standby of another one, whether or not it can follow it.
    public func startAsStandby(of primary: TestCluster) throws {
        let script = """
            touch '\(folder)/data/standby.signal'
            chown --reference='\(folder)/data' '\(folder)/data/standby.signal'
            echo "primary_conninfo = 'host=\(primary.folder) user=fave'" \
                >>'\(folder)/data/postgresql.auto.conf'
            """
        guard runScript(script) else { throw TestFailure("no standby.signal") }
        try start()
    }

    /// The address of a database of several clusters, as libpq takes it.
    public static func url(_ database: String, of clusters: [TestCluster]) -> String {
        "host=\(clusters.map(\.folder).joined(separator: ",")) user=fave dbname=\(database)"
    }
}

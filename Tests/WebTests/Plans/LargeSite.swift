import Foundation
import FaveGames
import Postgres
import Storage
import StorageWrites
import TestSupport

/// A site with thousands of everything that grows, whose PostgreSQL logs every statement and its plan. It
/// plans as if there were far more: it reads a whole table only if there is no other way.
struct LargeSite {
    static let people = 4_000
    let database: TestDatabase
    let contract: ContractSite
    /// Of before the log began: what it asks isn't logged.
    let session: BlockingSession
    private let logStart: Int

    init() async throws {
        database = try TestDatabase()
        session = try database.session()
        try Self.fill(session)
        try session.execute(
            """
            ALTER DATABASE \(database.name) SET enable_seqscan = off;
            ALTER DATABASE \(database.name) SET enable_hashjoin = off;
            ALTER DATABASE \(database.name) SET enable_mergejoin = off;
            ALTER DATABASE \(database.name) SET session_preload_libraries = 'auto_explain';
            ALTER DATABASE \(database.name) SET auto_explain.log_min_duration = 0;
            ALTER DATABASE \(database.name) SET auto_explain.log_analyze = on;
            ALTER DATABASE \(database.name) SET auto_explain.log_timing = off;
            ALTER DATABASE \(database.name) SET auto_explain.log_nested_statements = on;
            ALTER DATABASE \(database.name) SET log_statement = 'all';
            ALTER DATABASE \(database.name) SET log_parameter_max_length = 0
            """)
        logStart = try session.query("SELECT (pg_stat_file(\(Self.log))).size::integer")[0][0]
        contract = try await ContractSite(on: database, settings: ["CACHE": "off"])
    }

    private static let log = "current_setting('data_directory') || '/../server.log'"

    private static func fill(_ session: BlockingSession) throws {
        let picks = try session.query(
            "SELECT game_id, platform_id FROM game_platforms ORDER BY game_id, platform_id"
        ).map { row in Pick(game: try row[0], platform: try row[1]) }
        _ = try BulkStore(session).load(
            (0..<people).map { number in
                let entries = try (0..<5).map { place in
                    // A prime, so that the lists have all games, each with others.
                    let pick = picks[(number * 5 + place) * 7919 % picks.count]
                    return DraftEntry(
                        gameID: pick.game, platformID: pick.platform,
                        comment: try Comment("Because of \(number)."), rating: Rating(1 + place),
                        tags: try Tags(["tag-\(number % 50)"]))
                }
                return ListSeed(
                    username: "user-\(number)", displayName: "User \(number)",
                    madeAt: Date(timeIntervalSinceNow: -Double(number) * 1_000),
                    entries: entries,
                    snapshots: [2024, 2025].map { SnapshotSeed(year: $0, entries: entries) })
            })
        let file = TestDatabase.repository + "/Tests/WebTests/Plans/large.sql"
        try session.execute(String(contentsOfFile: file, encoding: .utf8))
        try BulkStore(session).analyze()
    }

    /// The tables with more than a thousand rows, and the others.
    func tables() throws -> (large: Set<String>, small: Set<String>) {
        var tables: (large: Set<String>, small: Set<String>) = ([], [])
        for row in try session.query(
            """
            SELECT relname::text, reltuples > 1000 FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
            """)
        {
            let (name, isLarge): (String, Bool) = (try row[0], try row[1])
            if isLarge { tables.large.insert(name) } else { tables.small.insert(name) }
        }
        return tables
    }

    /// What PostgreSQL has logged.
    func executions() throws -> [LoggedExecution] {
        let log: String = try session.query(
            "SELECT pg_read_file(\(Self.log), $1, 1000000000)", [.int(logStart)])[0][0]
        return LoggedExecution.all(in: log)
    }
}

/// A statement that was executed, and its plan, as `auto_explain` logs it.
struct LoggedExecution {
    /// Of the prepared statement; `nil` in a function, whose own statements are logged, too. With a
    /// hyphen before it if the people whom the reader doesn't see are left out.
    let name: String?
    let sql: String
    let plan: [Substring]

    /// Its name, or how its text begins, or, of a function that was compiled, its plan.
    var label: String {
        let text = name ?? (sql.isEmpty ? String(plan[0]) : sql)
        return String(text.trimmingPrefix("-").prefix(60))
    }

    /// The tables that were read from end to end.
    var wholeTables: Set<String> {
        Set(plan.compactMap { $0.firstMatch(of: /Seq Scan on (\w+)/).map { String($0.1) } })
    }

    /// How many rows were read of these tables: those that passed the conditions, and the others.
    func rows(of tables: Set<String>) -> Int {
        var rows = 0.0
        var loops = 0.0
        for line in plan {
            if let node = line.firstMatch(of: /\(actual rows=([0-9.]+) loops=([0-9]+)\)/) {
                let scan = line.firstMatch(of: /(?:Scan|Scan using \w+) on (\w+)/)
                let isCounted = scan.map { tables.contains(String($0.1)) } ?? false
                loops = isCounted ? Double(node.2) ?? 0 : 0
                rows += (Double(node.1) ?? 0) * loops
            } else if let left = line.firstMatch(
                of: /Rows Removed by (?:Filter|Index Recheck): ([0-9.]+)/)
            {
                rows += (Double(left.1) ?? 0) * loops
            }
        }
        return Int(rows)
    }

    static func all(in log: String) -> [LoggedExecution] {
        var names: [String: String] = [:]
        var executions: [LoggedExecution] = []
        var entry: [Substring] = []
        func end() {
            guard let first = entry.first else { return }
            if let start = first.firstMatch(of: /LOG:  execute ([^:]+): (.*)/) {
                let sql = ([start.2] + entry.dropFirst()).joined(separator: "\n")
                names[sql] = String(start.1)
            } else if first.contains("plan:"), first.contains("LOG:  duration:") {
                let root = entry.firstIndex { $0.contains("  (cost=") } ?? entry.endIndex
                let sql = entry[1..<root].joined(separator: "\n").replacing(
                    "Query Text: ", with: "", maxReplacements: 1)
                executions.append(
                    LoggedExecution(
                        name: names[sql], sql: sql.trimmingCharacters(in: .whitespacesAndNewlines),
                        plan: Array(entry[root...])))
            }
        }
        for line in log.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("\t") {
                entry.append(line.dropFirst())
            } else {
                end()
                entry = [line]
            }
        }
        end()
        return executions
    }
}

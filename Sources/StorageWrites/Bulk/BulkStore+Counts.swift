package import Postgres
import Storage

/// An included-by count that doesn't match the entries.
package struct CountDifference: Equatable, Sendable, Codable {
    package let platformID: Int
    package let gameID: Int
    package let stored: Int
    package let actual: Int
}

extension BulkStore {
    /// Compares all included-by counts with an SQL aggregate over the entries, in one snapshot.
    ///
    /// - Returns: The differing counts, by platform and game. Counts with an outdated sort name,
    ///   which orders games with equal counts, are included.
    package func countDifferences() throws -> [CountDifference] {
        try session.query(Counts.differences)
    }

    /// Derives the differing counts from the entries again, even while others write.
    ///
    /// - Returns: How many there were.
    @discardableResult
    package func mendCounts() throws -> Int {
        try session.query(Counts.platforms).reduce(0) { sum, platform in
            let mended: Int = try session.query(Counts.mend.sql, [.int(platform)])[0][0]
            return sum + mended
        }
    }
}

extension Store {
    /// Derives the differing counts from the entries again, in a transaction for each platform.
    package func mendCounts() async throws(PostgresError) {
        for platform in try await database.query(Counts.platforms) {
            try await database.query(Counts.mend, [.int(platform)])
        }
    }
}

private enum Counts {
    private static let difference = Columns(
        ["p.id", "d.game_id", "d.stored", "d.actual"]
    ) { row throws(PostgresError) in
        try CountDifference(
            platformID: row.next(), gameID: row.next(), stored: row.next(), actual: row.next())
    }

    static let differences = Query("count_differences", .read, difference) {
        """
        SELECT \($0) FROM platforms p CROSS JOIN LATERAL count_differences(p.id) d
        ORDER BY p.id, d.game_id
        """
    }

    static let platforms = Query("counted_platforms", .read, column("id", Int.self)) {
        "SELECT \($0) FROM platforms ORDER BY id"
    }

    static let mend = Statement("mend_counts", .write, "SELECT mend_counts($1)")
}

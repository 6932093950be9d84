import Postgres

/// An included-by count that doesn't match the entries.
public struct CountDifference: Equatable, Sendable, Codable {
    public let platformID: Int
    public let gameID: Int
    public let stored: Int
    public let actual: Int
}

extension BulkStore {
    /// Compares all included-by counts with an SQL aggregate over the entries, in one snapshot.
    ///
    /// - Returns: The differing counts, by platform and game. Counts with an outdated sort name,
    ///   which orders games with equal counts, are included.
    public func countDifferences() throws -> [CountDifference] {
        try session.query(Self.differences)
    }

    private static let difference = Columns(
        ["platform_id", "game_id", "coalesce(i.count, 0)", "coalesce(a.count, 0)"]
    ) { row throws(PostgresError) in
        try CountDifference(
            platformID: row.next(), gameID: row.next(), stored: row.next(), actual: row.next())
    }

    private static let differences = Query("count_differences", .read, difference) {
        """
        WITH actual AS (
            SELECT platform_id, game_id, count(*) AS count
            FROM entries WHERE audience <> 'hidden' GROUP BY platform_id, game_id
        )
        SELECT \($0)
        FROM included_by i
        FULL JOIN actual a USING (platform_id, game_id)
        JOIN games g ON g.id = game_id
        WHERE coalesce(i.count, 0) <> coalesce(a.count, 0) OR i.sort_name <> g.sort_name
        ORDER BY platform_id, game_id
        """
    }

    /// Corrects one count, even while others write. A concurrent writer of the count waits, and
    /// then continues from the corrected count.
    public func correctCount(platformID: Int, gameID: Int) throws {
        let pair: [PostgresParameter] = [.int(platformID), .int(gameID)]
        try session.withTransaction {
            try session.query(
                """
                INSERT INTO included_by AS i (platform_id, game_id, sort_name, count)
                SELECT $1, id, sort_name, 0 FROM games WHERE id = $2
                ON CONFLICT (platform_id, game_id) DO UPDATE SET sort_name = excluded.sort_name
                """, pair)
            // This is a separate statement, because its snapshot must be newer than the lock.
            try session.query(
                """
                UPDATE included_by SET count = (
                    SELECT count(*) FROM entries
                    WHERE (platform_id, game_id) = ($1, $2) AND audience <> 'hidden'
                )
                WHERE (platform_id, game_id) = ($1, $2)
                """, pair)
        }
    }
}

import Postgres

/// How often something may be tried: so many times at once, and then as they come back over time.
public struct AttemptLimit: Hashable, Sendable {
    public let count: Int
    public let period: Duration

    /// - Parameter period: In which `count` attempts come back, evenly.
    public init(_ count: Int, per period: Duration) {
        self.count = count
        self.period = period
    }

    /// In milliseconds: what one attempt costs, and how much may be owed when one is made.
    fileprivate var parameters: [PostgresParameter] {
        let milliseconds = Int(period / .milliseconds(1))
        let cost = max(1, milliseconds / count)
        return [.int(cost), .int(cost * (count - 1))]
    }
}

extension Store {
    /// Notes an attempt, whatever will come of it, and says whether it may be made.
    ///
    /// Attempts are counted in the database, for all processes together, by the leaky bucket as a
    /// meter: one timestamp a key, that every attempt moves on.
    ///
    /// - Parameter key: What is tried, and by whom; stored as it is.
    /// - Returns: `nil` if it may; else for how long not.
    public func attempt(
        _ key: String, limit: AttemptLimit
    ) async throws(PostgresError) -> Duration? {
        let (isMade, milliseconds) = try await database.row(
            Attempts.make, [.text(key)] + limit.parameters)
        return isMade ? nil : .milliseconds(max(1, milliseconds))
    }

    /// Takes an attempt back.
    public func forgiveAttempt(
        _ key: String, limit: AttemptLimit
    ) async throws(PostgresError) {
        try await database.query(Attempts.forgive, [.text(key), limit.parameters[0]])
    }

    /// Takes all attempts back.
    public func forgiveAttempts(_ key: String) async throws(PostgresError) {
        try await database.query(Attempts.forgiveAll, [.text(key)])
    }
}

private enum Attempts {
    /// Whether it may be made, and else for how many milliseconds not.
    static let make = Query(
        "attempt", .write,
        columns(
            column("EXISTS (SELECT FROM made)", Bool.self),
            column(
                """
                coalesce((SELECT ceil(extract(epoch FROM empty_at - now()) * 1000)::bigint - $3::bigint
                          FROM attempts WHERE key = $1), $2::bigint)
                """, Int.self))
    ) {
        """
        WITH made AS (
            INSERT INTO attempts AS a (key, empty_at)
            VALUES ($1, now() + $2::bigint * interval '1 millisecond')
            ON CONFLICT (key) DO UPDATE
            SET empty_at = greatest(a.empty_at, now()) + $2::bigint * interval '1 millisecond'
            WHERE a.empty_at <= now() + $3::bigint * interval '1 millisecond'
            RETURNING true
        )
        SELECT \($0)
        """
    }

    static let forgive = Statement(
        "forgive_attempt", .write,
        """
        UPDATE attempts SET empty_at = empty_at - $2::bigint * interval '1 millisecond'
        WHERE key = $1
        """)

    static let forgiveAll = Statement(
        "forgive_attempts", .write, "DELETE FROM attempts WHERE key = $1")
}

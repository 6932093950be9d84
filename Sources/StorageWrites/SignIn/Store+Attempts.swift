public import FaveGames
public import Postgres
public import Storage

extension Store {
    /// Records an attempt, regardless of its outcome, and returns whether it is allowed.
    ///
    /// Attempts are counted in the database, for all processes together. The method is the leaky
    /// bucket as a meter: each key has a timestamp, and every allowed attempt moves it forward.
    ///
    /// - Parameter key: Identifies the kind of attempt and its author. Stored as it is.
    /// - Returns: `nil` if the attempt is allowed; otherwise how long to wait before the next one.
    public func attempt(
        _ key: String, limit: AttemptLimit
    ) async throws(PostgresError) -> Duration? {
        let (isMade, milliseconds) = try await database.whateverTheOutcome.row(
            Attempts.make, [.text(key)] + limit.parameters)
        return isMade ? nil : .milliseconds(max(1, milliseconds))
    }

    /// Gives one attempt back.
    public func forgiveAttempt(_ key: String, limit: AttemptLimit) async throws(PostgresError) {
        try await database.whateverTheOutcome.query(
            Attempts.forgive, [.text(key), limit.parameters[0]])
    }

    /// Gives all attempts of a key back.
    public func forgiveAttempts(_ key: String) async throws(PostgresError) {
        try await database.whateverTheOutcome.query(Attempts.forgiveAll, [.text(key)])
    }
}

private enum Attempts {
    /// Whether the attempt is allowed, and otherwise how many milliseconds to wait.
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

extension AttemptLimit {
    /// In milliseconds: how much one attempt adds to the bucket, and how full the bucket may be
    /// before an attempt.
    fileprivate var parameters: [PostgresParameter] {
        let milliseconds = Int(period / .milliseconds(1))
        let cost = max(1, milliseconds / count)
        return [.int(cost), .int(cost * (count - 1))]
    }
}

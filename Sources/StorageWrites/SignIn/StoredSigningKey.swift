package import Postgres
package import Storage

extension StoredSigningKey {
    /// Returns the keys; the one to sign with comes first. If there are none, `candidate` is stored
    /// and becomes the first. If several processes start at once, only one stores its key, and all
    /// get it. Nothing is written if there are keys, since the database may be read-only.
    package static func loadOrMake(
        _ session: BlockingSession, candidate: @autoclosure () -> StoredSigningKey
    ) throws -> [StoredSigningKey] {
        let keys = try session.query(all)
        guard keys.isEmpty else { return keys }
        let candidate = candidate()
        return try session.withTransaction {
            try session.execute("LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE")
            try session.query(
                """
                INSERT INTO signing_keys (id, private_key)
                SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM signing_keys)
                """, [.text(candidate.id), .text(candidate.privateKey)])
            return try session.query(all)
        }
    }

    /// Adds a key, and deletes those that no valid token can name any longer. Processes sign with
    /// the new key once all of them know it.
    ///
    /// - Parameter lifetime: The longest lifetime of a token. A key that may have signed a still
    ///   valid token is retained. With 0, only the new key is retained, and earlier tokens become
    ///   invalid at once.
    /// - Returns: How many keys were deleted.
    package static func rotate(
        _ session: BlockingSession, to key: StoredSigningKey, lifetime: Duration
    ) throws -> Int {
        try session.withTransaction {
            try session.execute("LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE")
            let deleted = try session.query(
                """
                DELETE FROM signing_keys k
                WHERE $1::integer = 0
                   OR EXISTS (SELECT FROM signing_keys s
                              WHERE s.created_at > k.created_at
                                -- It was used for signing until all processes knew the next one.
                                AND s.created_at < now() - interval '5 minutes'
                                                   - $1::integer * interval '1 second')
                """, [.int(Int(lifetime.components.seconds))]
            ).affectedCount
            try session.query(
                "INSERT INTO signing_keys (id, private_key) VALUES ($1, $2)",
                [.text(key.id), .text(key.privateKey)])
            return deleted
        }
    }
}

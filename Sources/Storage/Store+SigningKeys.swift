import Postgres

extension Store {
    /// The server's own keys for signing tokens, the newest first.
    public func signingKeys() async throws(PostgresError) -> [StoredSigningKey] {
        try StoredSigningKey.read(await database.query(.signingKeys))
    }
}

/// A key of the table `signing_keys`. Never to be logged.
public struct StoredSigningKey: Sendable {
    /// The `kid` of tokens signed with it.
    public let id: String
    /// The seed of an Ed25519 key, in base64.
    public let privateKey: String

    public init(id: String, privateKey: String) {
        self.id = id
        self.privateKey = privateKey
    }

    fileprivate static func read(_ rows: Rows) throws(PostgresError) -> [StoredSigningKey] {
        var keys: [StoredSigningKey] = []
        for row in rows {
            keys.append(StoredSigningKey(id: try row[0], privateKey: try row[1]))
        }
        return keys
    }

    /// The keys, the newest first; makes `candidate` the first one if there is none. Of several
    /// processes that start at once, one makes the key and all get it.
    public static func loadOrMake(
        _ session: BlockingSession, candidate: StoredSigningKey
    ) throws -> [StoredSigningKey] {
        try session.withTransaction {
            try session.execute("LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE")
            try session.query(
                """
                INSERT INTO signing_keys (id, private_key)
                SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM signing_keys)
                """, [.text(candidate.id), .text(candidate.privateKey)])
            return try read(session.query(Statement.signingKeys.sql))
        }
    }
}

extension Statement {
    static let signingKeys = Statement(
        "signing_keys", .read,
        "SELECT id, private_key FROM signing_keys ORDER BY created_at DESC, id")
}

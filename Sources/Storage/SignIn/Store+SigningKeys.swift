package import Postgres

extension Store {
    /// The server's own keys for signing tokens. The one to sign with comes first.
    package func signingKeys() async throws(PostgresError) -> [StoredSigningKey] {
        try await database.query(StoredSigningKey.all)
    }
}

/// A key of the table `signing_keys`. Must never be logged.
package struct StoredSigningKey: Sendable {
    /// The `kid` of tokens signed with this key.
    package let id: String
    /// The seed of an Ed25519 key, in base64.
    package let privateKey: String

    package init(id: String, privateKey: String) {
        self.id = id
        self.privateKey = privateKey
    }
}

extension StoredSigningKey {
    private static let columns = Columns(["id", "private_key"]) { row throws(PostgresError) in
        try StoredSigningKey(id: row.next(), privateKey: row.next())
    }

    /// A new key is published before it is used to sign, so every process already knows it.
    package static let all = Query("signing_keys", .read, columns) {
        """
        SELECT \($0)
        FROM (SELECT *, created_at > now() - interval '2 minutes' AS is_new FROM signing_keys) k
        ORDER BY is_new, CASE WHEN is_new THEN created_at END, created_at DESC, id
        """
    }
}

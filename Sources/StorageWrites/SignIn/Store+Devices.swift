public import Foundation
public import Postgres
public import Storage

// Browsers that someone has signed in with before.
extension Store {
    /// Remembers a browser for a user. For each user, the twenty most recently used browsers are
    /// stored.
    ///
    /// - Parameter tokenHash: SHA-256 of the browser's secret.
    public func rememberDevice(userID: UUID, tokenHash: [UInt8]) async throws(PostgresError) {
        try await database.query(Devices.remember, [.uuid(userID), .bytes(tokenHash)])
    }
}

extension Devices {
    static let remember = Statement(
        "remember_device", .write,
        """
        WITH pushed_out AS (
            DELETE FROM known_devices WHERE (user_id, token_hash) IN (
                SELECT user_id, token_hash FROM known_devices
                WHERE user_id = $1 AND token_hash <> $2
                ORDER BY seen_at DESC, token_hash OFFSET 19)
        )
        INSERT INTO known_devices (user_id, token_hash)
        SELECT id, $2 FROM users WHERE id = $1
        ON CONFLICT (user_id, token_hash) DO UPDATE SET seen_at = excluded.seen_at
        """)
}

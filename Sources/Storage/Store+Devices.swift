import Foundation
import Postgres

// Browsers that someone has signed in with before.
extension Store {
    /// Remembers a browser for a user. For each user, the twenty most recently used browsers are
    /// stored.
    ///
    /// - Parameter tokenHash: SHA-256 of the browser's secret.
    @_spi(Writing) public func rememberDevice(
        userID: UUID, tokenHash: [UInt8]
    ) async throws(PostgresError) {
        try await database.query(Devices.remember, [.uuid(userID), .bytes(tokenHash)])
    }

    /// Whether someone has signed in to an account with this browser.
    public func isKnownDevice(
        username: String, tokenHash: [UInt8]
    ) async throws(PostgresError) -> Bool {
        try await database.row(Devices.isKnown, [.text(username), .bytes(tokenHash)])
    }
}

enum Devices {
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

    /// When each browser was last used.
    static let ofUser = Query("known_devices", .read, column("seen_at", Date.self)) {
        "SELECT \($0) FROM known_devices WHERE user_id = $1 ORDER BY seen_at DESC"
    }

    static let isKnown = Query(
        "is_known_device", .read,
        column(
            """
            EXISTS (SELECT FROM known_devices d JOIN public.users u ON u.id = d.user_id
                    WHERE u.username = $1 AND d.token_hash = $2)
            """, Bool.self)
    )
}

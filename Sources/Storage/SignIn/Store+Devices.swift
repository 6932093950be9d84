import Foundation
public import Postgres

// Browsers that someone has signed in with before.
extension Store {
    /// Whether someone has signed in to an account with this browser.
    public func isKnownDevice(
        username: String, tokenHash: [UInt8]
    ) async throws(PostgresError) -> Bool {
        try await database.row(Devices.isKnown, [.text(username), .bytes(tokenHash)])
    }
}

package enum Devices {
    /// When each browser was last used.
    static let ofUser = Query("known_devices", .read, column("seen_at", Date.self)) {
        "SELECT \($0) FROM known_devices WHERE user_id = $1 ORDER BY seen_at DESC"
    }

    static let isKnown = Query(
        "is_known_device", .read,
        column(
            """
            EXISTS (SELECT FROM known_devices d JOIN users u ON u.id = d.user_id
                    WHERE u.username = $1 AND d.token_hash = $2)
            """, Bool.self),
        unfiltered: "The browser may be signed in to another account than the one it is known for."
    )
}

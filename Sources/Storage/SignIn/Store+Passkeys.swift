public import FaveGames
public import Foundation
public import Postgres

/// The stored data that verifying a passkey's response needs.
package struct StoredPasskey: Sendable {
    package let id: UUID
    package let publicKey: [UInt8]
    package let counter: Int
    package let user: User
}

extension Store {
    /// A user's passkeys, the oldest first; at most a hundred.
    public func passkeys(userID: UUID) async throws(PostgresError) -> [PasskeyRecord] {
        try await database.query(Passkeys.ofUser, [.uuid(userID)])
    }

    /// The credential ids of a user's passkeys.
    public func credentialIDs(userID: UUID) async throws(PostgresError) -> [[UInt8]] {
        try await database.query(Passkeys.credentialIDs, [.uuid(userID)]).map(\.bytes)
    }

    package func passkey(credentialID: [UInt8]) async throws(PostgresError) -> StoredPasskey? {
        try await database.query(Passkeys.byCredential, [.bytes(credentialID)]).first
    }
}

package enum Passkeys {
    static let ofUser = Query(
        "passkeys", .read,
        Columns<PasskeyRecord>(["id", "name", "created_at", "used_at"]) {
            row throws(PostgresError) in
            try PasskeyRecord(
                id: row.next(), name: row.next(), createdAt: row.next(), usedAt: row.next())
        }
    ) { "SELECT \($0) FROM passkeys WHERE user_id = $1 ORDER BY created_at, id LIMIT 100" }

    static let credentialIDs = Query(
        "credential_ids", .read, column("credential_id", PostgresBytes.self)
    ) { "SELECT \($0) FROM passkeys WHERE user_id = $1 ORDER BY created_at LIMIT 100" }

    static let byCredential = Query(
        "passkey", .read,
        Columns<StoredPasskey>(
            ["k.id", "k.public_key", "k.counter"] + User.columns.expressions
        ) { row throws(PostgresError) in
            let (id, key): (UUID, PostgresBytes) = try (row.next(), row.next())
            return try StoredPasskey(
                id: id, publicKey: key.bytes, counter: row.next(), user: row.next(User.columns))
        }, unfiltered: "The browser may be signed in to another account than the passkey's."
    ) {
        """
        SELECT \($0) FROM passkeys k JOIN \(User.tables) ON u.id = k.user_id
        WHERE k.credential_id = $1
        """
    }
}

public import FaveGames
public import Foundation
public import Postgres

extension Store {
    public static let identityLimit = 10

    /// The identities that a user can sign in with, the earliest linked first.
    public func identities(userID: UUID) async throws(PostgresError) -> [LinkedIdentity] {
        try await database.query(Identities.ofUser, [.uuid(userID)])
    }

    /// Whether an identity was removed lately, either with its user or on its own.
    ///
    /// - Parameter age: How long ago at most. The database counts it back from its own time, so that two
    ///   clocks are never compared.
    public func isRetired(
        issuer: String, subject: String, inLast age: Duration
    ) async throws(PostgresError) -> Bool {
        try await database.row(
            Identities.isRetired,
            [.text(issuer), .text(subject), .int(Int(age / .milliseconds(1)))])
    }
}

package enum Identities {
    private static let identity = Columns(
        ["id", "issuer", "subject", "linked_at"]
    ) { row throws(PostgresError) in
        try LinkedIdentity(
            id: row.next(), issuer: row.next(), subject: row.next(), linkedAt: row.next())
    }

    static let ofUser = Query("identities", .read, identity) {
        "SELECT \($0) FROM identities WHERE user_id = $1 ORDER BY linked_at, id"
    }

    static let isRetired = Query(
        "is_retired", .read,
        column(
            """
            EXISTS (SELECT FROM retired_identities
                    WHERE digest = identity_digest($1, $2)
                      AND retired_at >= now() - $3::bigint * interval '1 millisecond')
            """, Bool.self)
    )
}

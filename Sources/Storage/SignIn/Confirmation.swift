public import FaveGames
import Foundation
public import Postgres

extension Confirmation {
    package var parameters: [PostgresParameter] {
        [.uuid(userID), .uuid(sessionID), passwordDigest.map { .bytes($0) } ?? nil]
    }
}

extension Store {
    public func holds(_ confirmation: Confirmation) async throws(PostgresError) -> Bool {
        try await database.row(Confirmations.holds, confirmation.parameters)
    }
}

package enum Confirmations {
    package static let holds = Query(
        "confirmation_holds", .read,
        column(
            """
            EXISTS (
                SELECT FROM users u LEFT JOIN passwords p ON p.user_id = u.id
                WHERE u.id = $1 AND u.disabled_at IS NULL
                  AND sha256(convert_to(p.hash, 'UTF8')) IS NOT DISTINCT FROM $3::bytea
                  AND ($2::uuid IS NULL OR EXISTS (
                      SELECT FROM sessions s
                      WHERE s.id = $2::uuid AND s.user_id = $1 AND s.expires_at > now()
                        AND ($3::bytea IS NOT NULL
                             OR s.created_at > now() - interval '\(Confirmation.freshness) seconds'))))
            """, Bool.self)
    )
}

public import FaveGames
public import Foundation
public import Postgres
public import Storage

// Apps that people can let use their account.
extension Store {
    /// Registers an app.
    ///
    /// - Parameter userID: The user who registers it; `nil` for an operator, who may register any number.
    /// - Returns: `nil` if the user has `ClientApp.limit` already, or is gone.
    public func makeApp(
        of userID: UUID?, name: String, address: String, redirects: [String]
    ) async throws(PostgresError) -> ClientApp? {
        try await database.query(
            Apps.make,
            [
                .uuid(userID), .text(name), .text(address), .texts(redirects),
                .int(ClientApp.limit),
            ], after: BoundStatement(Users.lock, [.uuid(userID)])
        ).first
    }

    /// Removes an app, and ends its sessions.
    ///
    /// - Parameter userID: The user who must have registered it; `nil` for an operator.
    /// - Returns: Whether there was one.
    public func removeApp(_ id: UUID, of userID: UUID?) async throws(PostgresError) -> Bool {
        try await !database.query(Apps.remove, [.uuid(id), .uuid(userID)]).isEmpty
    }
}

extension Apps {
    /// For after `Users.lock`: two at once of one user are counted one after the other.
    static let make = Query("make_app", .write, app) {
        """
        WITH a AS (
            INSERT INTO apps (user_id, name, address, redirects)
            SELECT $1::uuid, $2::text, $3::text, $4::text[]
            WHERE $1::uuid IS NULL
               OR EXISTS (SELECT FROM users WHERE id = $1::uuid)
              AND (SELECT count(*) FROM apps WHERE user_id = $1::uuid) < $5
            RETURNING *
        )
        SELECT \($0) FROM a LEFT JOIN users u ON u.id = a.user_id
        """
    }

    static let remove = Query("remove_app", .write, column("id", UUID.self)) {
        """
        DELETE FROM apps WHERE id = $1 AND ($2::uuid IS NULL OR user_id = $2::uuid) RETURNING \($0)
        """
    }
}

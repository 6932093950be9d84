public import FaveGames
public import Foundation
public import Postgres

// Apps that people can let use their account.
extension Store {
    /// An app; `nil` also if the person who registered it is disabled.
    public func app(_ id: UUID) async throws(PostgresError) -> ClientApp? {
        try await database.query(Apps.byID, [.uuid(id)]).first
    }

    /// The apps that a user has registered, the latest first.
    public func apps(userID: UUID) async throws(PostgresError) -> [ClientApp] {
        try await database.query(Apps.ofUser, [.uuid(userID)])
    }

    /// All apps, the latest first.
    public func allApps() async throws(PostgresError) -> [ClientApp] {
        try await database.query(Apps.all)
    }
}

package enum Apps {
    package static let app = Columns<ClientApp>(
        ["a.id", "a.name", "a.address", "a.redirects", "u.username", "a.created_at"]
    ) { row throws(PostgresError) in
        try ClientApp(
            id: row.next(), name: row.next(), address: row.next(), redirects: row.next(),
            owner: row.next(), createdAt: row.next())
    }

    static let byID = Query(
        "app", .read, app,
        unfiltered: "Someone who is asked to trust an app must learn who registered it."
    ) {
        """
        SELECT \($0) FROM apps a LEFT JOIN users u ON u.id = a.user_id
        WHERE a.id = $1 AND u.disabled_at IS NULL
        """
    }

    static let ofUser = Query("apps_of_user", .read, app) {
        """
        SELECT \($0) FROM apps a JOIN users u ON u.id = a.user_id WHERE a.user_id = $1
        ORDER BY a.created_at DESC, a.id LIMIT 100
        """
    }

    static let all = Query("apps", .longRead, app) {
        """
        SELECT \($0) FROM apps a LEFT JOIN users u ON u.id = a.user_id
        ORDER BY a.created_at DESC, a.id
        """
    }
}

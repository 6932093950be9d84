public import FaveGames
public import Foundation
import Postgres
public import Storage

// What ends suspensions, and the time during which an account is new.
extension Store {
    /// Shows a new account's list publicly at once.
    public func approve(username: Username, by moderator: UUID) async throws -> ModerationOutcome {
        let name = username.description
        let found = try await database.query(Users.byUsername, [.text(name)])
        guard let user = found.first else { return .gone }
        return try await database.withTransaction(lockingListsOf: [user.id]) { transaction in
            let approved = try await transaction.query(
                Moderation.approve, [.uuid(user.id), .uuid(moderator)])
            return approved.affectedCount == 1 ? .done : .gone
        }
    }

    /// Ends suspensions whose term is over, and shows lists whose accounts are no longer new.
    func endTerms() async throws {
        while try await endTerms(Moderation.overdue, Moderation.end) {}
        while try await endTerms(Moderation.established, Moderation.show) {}
    }

    /// - Returns: Whether there may be more.
    private func endTerms(_ due: Query<UUID>, _ end: Statement) async throws -> Bool {
        let users = try await database.query(due)
        guard !users.isEmpty else { return false }
        _ = try await database.withTransaction(lockingListsOf: users) { transaction in
            try await transaction.query(end, [.uuids(users)])
        }
        return users.count == ExpiringData.batch
    }
}

extension Moderation {
    static let approve = Statement(
        "approve_user", .write,
        """
        WITH approved AS (
            UPDATE users u SET new_until = NULL
            WHERE u.id = $1 AND u.new_until IS NOT NULL
              AND EXISTS (SELECT FROM users m WHERE m.id = $2 AND \(mayDecide))
            RETURNING u.id
        )
        INSERT INTO moderation_actions (actor_id, action, user_id)
        SELECT $2, 'approve', id FROM approved
        """)

    static let established = Query("established_users", .read, column("id", UUID.self)) {
        "SELECT \($0) FROM users WHERE new_until <= now() ORDER BY id LIMIT \(ExpiringData.batch)"
    }

    static let show = Statement(
        "establish_users", .write,
        "UPDATE users SET new_until = NULL WHERE id = ANY ($1::uuid[]) AND new_until <= now()")

    static let overdue = Query("ended_suspensions", .read, column("id", UUID.self)) {
        "SELECT \($0) FROM users WHERE disabled_until <= now() ORDER BY id LIMIT \(ExpiringData.batch)"
    }

    static let end = Statement(
        "end_suspensions", .write,
        """
        UPDATE users SET disabled_at = NULL, disabled_until = NULL
        WHERE id = ANY ($1::uuid[]) AND disabled_until <= now()
        """)
}

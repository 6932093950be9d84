import Foundation
import Postgres
import Synchronization

/// The person who sent a request, once its session or token has been looked up.
///
/// If the reader has blocked people, or was blocked by people, all reads of the request leave these
/// people out: `Statement.withoutBlocked` hides their rows of `users`, `lists` and `entries` from every
/// statement. The statements of everyone else stay as they are. A statement that needs all users, such
/// as one for moderators, names the table `public.users`.
public final class Reader: Sendable {
    private let id = Mutex<UUID?>(nil)

    public init() {}

    /// The user whose blocks matter; `nil` if no one has to be left out.
    var blocksOf: UUID? { id.withLock { $0 } }

    /// Leaves out the people this user has blocked, and those who have blocked this user.
    func leaveOutBlocked(of userID: UUID) { id.withLock { $0 = userID } }
}

extension Statement {
    /// The same read for one user, who is an additional parameter. The people this user has blocked
    /// are left out, and those who have blocked this user. The rows are never cached.
    ///
    /// WITH queries hide the tables of the same names.
    ///
    /// - Parameter number: The number of the additional parameter.
    func withoutBlocked(parameter number: Int) -> Statement {
        func visible(_ table: String, of person: String) -> String {
            """
            \(table) AS NOT MATERIALIZED (
                SELECT * FROM public.\(table) t
                WHERE NOT EXISTS (SELECT FROM public.blocks b
                                  WHERE (b.blocker_id, b.blocked_id) = ($\(number)::uuid, t.\(person)))
                  AND NOT EXISTS (SELECT FROM public.blocks b
                                  WHERE (b.blocker_id, b.blocked_id) = (t.\(person), $\(number)::uuid))
            )
            """
        }
        let tables = [
            visible("users", of: "id"), visible("lists", of: "user_id"),
            visible("entries", of: "user_id"),
        ].joined(separator: ", ")
        let isNested = sql.hasPrefix("WITH ")
        // PostgreSQL tells names apart by their first 63 bytes, and some are almost as long.
        return Statement(
            "~\(name)", effect,
            "WITH \(tables)\(isNested ? "," : "")\n\(isNested ? String(sql.dropFirst(5)) : sql)")
    }
}

package import Foundation
import Freshness
import Postgres
import Synchronization

/// The person whom a response is for, once its session or token has been looked up.
///
/// If the viewer has blocked people, or was blocked by people, all reads of the request outside of
/// transactions leave these people out: `Statement.without` hides their rows of `users`, `lists` and
/// `entries` from every statement, except those that declare why they are `unfiltered`, such as some for
/// moderators. The statements of everyone else stay as they are. Moderators see those who blocked them.
public final class Viewer: Sendable {
    struct Blocks {
        let userID: UUID
        /// Whether those who have blocked the user are left out, too.
        let withBlockers: Bool
    }

    private struct State {
        var blocks: Blocks?
        var wayIn: UUID?
    }

    private let state = Mutex(State())

    public init() {}

    /// `nil` if no one has to be left out.
    var blocks: Blocks? { state.withLock { $0.blocks } }

    /// The session or personal token that the request came with, if any. What would let someone in who
    /// isn't the account's owner is only written while it is still there.
    package var wayIn: UUID? { state.withLock { $0.wayIn } }

    /// Leaves out the people this user has blocked, and those who have blocked this user if they are to be
    /// left out, too.
    func leaveOutBlocked(of userID: UUID, andBlockers withBlockers: Bool) {
        state.withLock { $0.blocks = Blocks(userID: userID, withBlockers: withBlockers) }
    }

    func came(with wayIn: UUID?) { state.withLock { $0.wayIn = wayIn } }
}

extension Statement {
    /// The same read for one user, who is an additional parameter, without the people that `blocks` leaves
    /// out. Its rows can be cached like those for everyone, for this user alone, until their blocks change:
    /// so reads of someone with blocks cost no more than those of others.
    ///
    /// WITH queries hide the tables of the same names.
    ///
    /// - Parameter number: The number of the additional parameter.
    func without(_ blocks: Viewer.Blocks, parameter number: Int) -> Statement {
        func isApart(_ blocker: String, _ blocked: String) -> String {
            """
            EXISTS (SELECT FROM public.blocks b
                    WHERE (b.blocker_id, b.blocked_id) = (\(blocker), \(blocked)))
            """
        }
        func visible(_ table: String, of person: String) -> String {
            let (user, other) = ("$\(number)::uuid", "t.\(person)")
            return """
                \(table) AS NOT MATERIALIZED (
                    SELECT * FROM public.\(table) t
                    WHERE NOT \(isApart(user, other))
                    \(blocks.withBlockers ? "AND NOT \(isApart(other, user))" : "")
                )
                """
        }
        let tables = [
            visible("users", of: "id"), visible("lists", of: "user_id"),
            visible("entries", of: "user_id"),
        ].joined(separator: ", ")
        precondition(!sql.hasPrefix("WITH RECURSIVE "), "the keyword would come too late")
        let isNested = sql.hasPrefix("WITH ")
        // PostgreSQL tells names apart by their first 63 bytes, and some are almost as long.
        return rewritten(
            as: (blocks.withBlockers ? "~" : "-") + name,
            "WITH \(tables)\(isNested ? "," : "")\n\(isNested ? String(sql.dropFirst(5)) : sql)",
            alsoOf: .blocks(parameter: number))
    }
}

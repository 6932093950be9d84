import FaveGames
import Foundation
import Postgres

/// What operators do to the whole database: seeding and checking. Blocks; not for a loop's thread.
public struct BulkStore {
    let session: BlockingSession

    public init(_ session: BlockingSession) {
        self.session = session
    }

    /// How many rows a seeding made or changed.
    public struct Changes: Equatable, Sendable {
        public let added: Int
        public let updated: Int
        public let unchanged: Int

        public init(added: Int, updated: Int, unchanged: Int) {
            self.added = added
            self.updated = updated
            self.unchanged = unchanged
        }
    }

    /// Whether nobody has signed up yet.
    public func hasNoUsers() throws -> Bool {
        try session.row(
            Query("has_no_users", .read, column("NOT EXISTS (SELECT FROM users)")) {
                "SELECT \($0)"
            })
    }
}

import FaveGames
import Foundation
package import Postgres
import Storage

/// Operators' work on the whole database, such as seeding and checking. Its calls block, so they
/// must not be made on a loop's thread.
package struct BulkStore {
    let session: BlockingSession

    package init(_ session: BlockingSession) {
        self.session = session
    }

    /// How many rows seeding added, updated or left unchanged.
    package struct Changes: Equatable, Sendable {
        package let added: Int
        package let updated: Int
        package let unchanged: Int

        package init(added: Int, updated: Int, unchanged: Int) {
            self.added = added
            self.updated = updated
            self.unchanged = unchanged
        }
    }

    /// Whether there are no users yet.
    package func hasNoUsers() throws -> Bool { try isEmpty("users") }

    package func platformCount() throws -> Int { try count("platforms") }

    package func gameCount() throws -> Int { try count("games") }

    /// Says whether all servers of this database show games for adults only.
    package func showAdultGames(_ areShown: Bool) throws {
        try session.query("SELECT show_adult_games($1)", [.bool(areShown)])
    }

    package func hasAdministrator() throws -> Bool { try session.row(Operators.hasAdministrator) }

    private func isEmpty(_ table: String) throws -> Bool {
        try session.row(
            Query("is_empty", .read, column("NOT EXISTS (SELECT FROM \(table))")))
    }

    private func count(_ table: String) throws -> Int {
        try session.query("SELECT count(*) FROM \(table)")[0][0]
    }
}

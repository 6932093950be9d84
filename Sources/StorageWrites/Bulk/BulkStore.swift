import FaveGames
import Foundation
import Postgres
import Storage

/// Operators' work on the whole database, such as seeding and checking. Its calls block, so they
/// must not be made on a loop's thread.
public struct BulkStore {
    let session: BlockingSession

    public init(_ session: BlockingSession) {
        self.session = session
    }

    /// How many rows seeding added, updated or left unchanged.
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

    /// Whether there are no users yet.
    public func hasNoUsers() throws -> Bool { try isEmpty("users") }

    public func platformCount() throws -> Int { try count("platforms") }

    public func gameCount() throws -> Int { try count("games") }

    /// Says whether all servers of this database show games for adults only.
    public func showAdultGames(_ areShown: Bool) throws {
        try session.query("SELECT show_adult_games($1)", [.bool(areShown)])
    }

    public func hasAdministrator() throws -> Bool { try session.row(Operators.hasAdministrator) }

    private func isEmpty(_ table: String) throws -> Bool {
        try session.row(
            Query("is_empty", .read, column("NOT EXISTS (SELECT FROM \(table))")))
    }

    private func count(_ table: String) throws -> Int {
        try session.query("SELECT count(*) FROM \(table)")[0][0]
    }
}

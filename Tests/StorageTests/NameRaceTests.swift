import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("A save that makes the first count of a game while the game is renamed", .blocking)
struct NameRaceTests {
    private let database: TestDatabase
    private let save: String
    private let rename: String

    init() throws {
        database = try TestDatabase()
        let user = try database.makeUser("rob")
        let game = try database.games(on: [ps4], 1)[0]
        save = "SELECT save_list('\(user)', NULL, '{\"(,\(ps4),\(game),\\\"\\\",,{})\"}')"
        rename = "UPDATE games SET name = 'Another name' WHERE id = \(game)"
    }

    @Test("leaves the new name in the order of rankings", arguments: [true, false])
    func race(isSavedFirst: Bool) async throws {
        let (first, second) = isSavedFirst ? (save, rename) : (rename, save)
        let one = try database.session()
        try one.execute("BEGIN")
        try one.query(first)
        async let later: Void = onThreads(1) { [database] _ in
            _ = try database.session().query("\(second) /* later */")
        }
        let watcher = try database.session()
        // Without the lock, the second one doesn't wait.
        try await eventually {
            try watcher.query(
                """
                SELECT FROM pg_stat_activity
                WHERE datname = $1 AND query LIKE '%later */'
                  AND (wait_event_type = 'Lock' OR state = 'idle')
                """, [.text(database.name)]
            ).count == 1
        }
        try one.execute("COMMIT")
        try await later
        #expect(try BulkStore(one).countDifferences() == [])
        #expect(try one.query("SELECT sort_name FROM included_by")[0][0] == "another name")
        #expect(try database.brokenRules() == [])
    }
}

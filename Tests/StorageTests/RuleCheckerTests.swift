import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

/// The tests of races trust `brokenRules()`, so it has to find what they could break.
@Suite("What judges the lists and counts of a database", .blocking)
struct RuleCheckerTests {
    private let database: TestDatabase
    private let session: BlockingSession
    private let games: [Int]

    /// Rob has five games and a comment, with which Ada agrees. Ada has the first two of his games.
    init() throws {
        database = try TestDatabase()
        session = try database.session()
        games = try database.games(on: [ps4, pc], 6)
        let (rob, ada) = (try database.makeUser("rob"), try database.makeUser("ada"))
        try database.insert(Array(games.prefix(5)), for: rob, comment: "Why.")
        try database.insert(Array(games.prefix(2)), for: ada)
        try session.query(
            """
            INSERT INTO hearts (entry_id, user_id)
            SELECT id, $1 FROM entries WHERE (user_id, position) = ($2, 1)
            """, [.uuid(ada), .uuid(rob)])
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// With `{0}` for the id of the first game, and so on.
        let sql: String
        let found: [String]

        init(_ name: String, _ sql: String, _ found: String...) {
            testDescription = name
            self.sql = sql
            self.found = found
        }
    }

    private static let robs = "user_id = (SELECT id FROM users WHERE username = 'rob')"

    private static let damages = [
        Damage(
            "a hole", "UPDATE entries SET position = 3 WHERE position = 2 AND NOT \(robs)",
            "the list of ada has the places {1,3}"),
        Damage(
            "a place that is taken twice",
            "UPDATE entries SET position = 1 WHERE position = 2 AND NOT \(robs)",
            "the list of ada has the places {1,1}"),
        Damage(
            "a sixth entry",
            """
            ALTER TABLE entries DROP CONSTRAINT entries_position_check;
            INSERT INTO entries (user_id, position, game_id, platform_id)
            SELECT id, 6, {5}, 48 FROM users WHERE username = 'rob';
            INSERT INTO included_by SELECT 48, id, sort_name, 1 FROM games WHERE id = {5}
            """, "the list of rob has the places {1,2,3,4,5,6}"),
        Damage(
            "a duplicate",
            """
            ALTER TABLE entries DROP CONSTRAINT entries_game_key;
            UPDATE entries SET game_id = {0} WHERE game_id = {1} AND NOT \(robs);
            UPDATE included_by SET count = 3 WHERE game_id = {0};
            UPDATE included_by SET count = 1 WHERE game_id = {1}
            """, "the list of ada has game {0} on platform 48 2 times"),
        Damage(
            "a list with the wrong audience",
            "UPDATE lists SET audience = 'unlisted' WHERE \(robs)",
            "the list of rob is unlisted, not public"),
        Damage(
            "an entry with the wrong audience",
            "UPDATE entries SET audience = 'unlisted' WHERE \(robs) AND position = 4",
            "entry 4 of rob is unlisted, not public"),
        Damage(
            "someone without a list",
            "DELETE FROM entries WHERE NOT \(robs); DELETE FROM lists WHERE NOT \(robs);"
                + " UPDATE included_by SET count = 1",
            "the list of ada is missing, not public"),
        Damage(
            "a new account whose list is public",
            """
            UPDATE users SET new_until = now() + interval '1 day' WHERE username = 'ada'
            """, "entry 1 of ada is public, not unlisted", "entry 2 of ada is public, not unlisted",
            "the list of ada is public, not unlisted"),
        Damage(
            "a private list that counts",
            """
            UPDATE users SET visibility = 'private' WHERE username = 'ada';
            UPDATE lists SET audience = 'hidden' WHERE NOT \(robs);
            UPDATE entries SET audience = 'hidden' WHERE NOT \(robs)
            """, "game {0} on platform 48 is counted 2 times, not 1",
            "game {1} on platform 48 is counted 2 times, not 1"),
        Damage(
            "a disabled account whose list and heart count",
            "UPDATE users SET disabled_at = now() WHERE username = 'ada'",
            "entry 1 of ada is public, not hidden", "entry 1 of rob has 1 hearts, not 0",
            "entry 2 of ada is public, not hidden",
            "game {0} on platform 48 is counted 2 times, not 1",
            "game {1} on platform 48 is counted 2 times, not 1",
            "the list of ada is public, not hidden"),
        Damage(
            "a wrong count", "UPDATE included_by SET count = 7 WHERE game_id = {2}",
            "game {2} on platform 48 is counted 7 times, not 1"),
        Damage(
            "a count that is missing", "DELETE FROM included_by WHERE game_id = {2}",
            "game {2} on platform 48 is counted 0 times, not 1"),
        Damage(
            "a count of what nobody has",
            "INSERT INTO included_by SELECT 48, id, sort_name, 2 FROM games WHERE id = {5}",
            "game {5} on platform 48 is counted 2 times, not 0"),
        Damage(
            "a former name in the order of rankings",
            """
            UPDATE games SET name = 'New' WHERE id = {2};
            UPDATE included_by SET sort_name = 'old' WHERE game_id = {2}
            """, "game {2} on platform 48 is ordered as \"old\", not \"new\""),
        Damage(
            "a wrong number of hearts", "UPDATE heart_counts SET count = 4",
            "entry 1 of rob has 4 hearts, not 1"),
        Damage(
            "a number of hearts that is missing", "DELETE FROM heart_counts",
            "entry 1 of rob has 0 hearts, not 1"),
        Damage(
            "a number of hearts that are gone", "DELETE FROM hearts",
            "entry 1 of rob has 1 hearts, not 0"),
    ]

    private func filled(_ text: String) -> String {
        games.enumerated().reduce(text) { $0.replacing("{\($1.offset)}", with: "\($1.element)") }
    }

    @Test("finds what gets past the triggers", arguments: damages)
    func finds(_ damage: Damage) throws {
        #expect(try database.brokenRules() == [])
        // Without triggers, also those behind foreign keys.
        try session.execute("SET session_replication_role = replica")
        try session.execute(filled(damage.sql))
        #expect(try database.brokenRules() == damage.found.map(filled).sorted())
    }

    @Test("finds nothing wrong with what the triggers make of it")
    func right() throws {
        for change in [
            "new_until = now() + interval '1 day'", "visibility = 'private'",
            "disabled_at = now()", "disabled_at = NULL", "visibility = 'unlisted'",
            "new_until = NULL", "visibility = 'public'",
        ] {
            try session.execute("UPDATE users SET \(change) WHERE username = 'ada'")
            #expect(try database.brokenRules() == [], "\(change)")
        }
    }
}

import FaveGames
import Foundation
import Migrations
import Postgres
import TestSupport
import Testing

@testable import Storage

@Suite("The migration to accounts", .blocking)
struct UpgradeTests {
    private let database: TestDatabase
    private let session: BlockingSession
    private let migrations: [Migration]

    /// As a database was before accounts, with some people in it.
    init() throws {
        database = try TestDatabase(.empty)
        session = try database.session()
        migrations = try Migration.load(from: TestDatabase.migrationsFolder)
        _ = try Migrator(session, Array(migrations.prefix(2))).migrate()
        try session.execute(
            """
            INSERT INTO platforms (id, slug, name, abbreviation)
            VALUES (48, 'ps4', 'PlayStation 4', 'PS4');
            INSERT INTO games (id, name) SELECT n, 'Game ' || n FROM generate_series(1, 5) n;
            INSERT INTO game_platforms SELECT n, 48 FROM generate_series(1, 5) n;
            INSERT INTO users (username, display_name, created_at)
            SELECT name, name, timestamptz '2020-01-01' + place * interval '1 day'
            FROM unnest('{rob,r0b,alice_1,alice-l,alice-1,amold,arnold,ada}'::text[])
                 WITH ORDINALITY AS t (name, place);
            INSERT INTO identities (issuer, subject, user_id)
            SELECT 'https://id.example', username, id FROM users;
            INSERT INTO entries (user_id, position, game_id, platform_id, comment)
            SELECT u.id, n, n, 48, 'Yes.' FROM users u, generate_series(1, 5) n;
            """)
    }

    private func migrate() throws -> Int {
        try Migrator(session, migrations).migrate().count
    }

    private static func names(_ session: BlockingSession, where condition: String) throws
        -> [String]
    {
        try session.query(
            """
            SELECT coalesce(array_agg(username ORDER BY username), '{}')
            FROM users WHERE \(condition)
            """)[0][0]
    }

    @Test("keeps everybody with their lists, and the counts")
    func keepsAll() async throws {
        let before: [String] = try session.query(
            "SELECT array_agg(concat_ws(' ', user_id, version, updated_at) ORDER BY user_id) FROM lists"
        )[0][0]
        #expect(try migrate() == migrations.count - 2)
        #expect(try database.brokenRules() == [])
        #expect(try Self.names(session, where: "true").count == 8)
        #expect(try Self.names(session, where: "visibility = 'public' AND bio = ''").count == 8)
        let after: [String] = try session.query(
            "SELECT array_agg(concat_ws(' ', user_id, version, updated_at) ORDER BY user_id) FROM lists"
        )[0][0]
        #expect(after == before)
        #expect(try database.count(of: 1) == 8)
        try await withStore(database) { store async throws in
            for name in ["rob", "r0b", "amold"] {
                let list = try await store.list(username: name, seenBy: nil)
                #expect(list?.entries.count == 5)
                let user = try await store.user(issuer: "https://id.example", subject: name)
                #expect(user?.username == name)
            }
        }
    }

    @Test("lets names that look alike be, and refuses new ones")
    func lookalikes() throws {
        _ = try migrate()
        #expect(
            try Self.names(session, where: "may_look_alike")
                == ["alice-1", "alice-l", "arnold", "r0b"], "the first of each stays in the index")
        let store = BulkStore(session)
        for name in ["arno1d", "r-0b", "a1ice_l", "ro8"] {
            let username = try #require(Username(name))
            if ["r-0b", "ro8"].contains(name) {
                _ = try store.makeUser(username: username, passwordHash: "$scrypt$x")
            } else {
                #expect(throws: UsernameTakenError.self) {
                    try store.makeUser(username: username, passwordHash: "$scrypt$x")
                }
            }
        }
    }

    @Test("gives them what the rest of the program needs")
    func accounts() async throws {
        _ = try migrate()
        let rob: UUID = try session.query("SELECT id FROM users WHERE username = 'r0b'")[0][0]
        try database.set(.private, of: rob)
        #expect(try database.count(of: 1) == 7)
        #expect(try database.brokenRules() == [])
        try await withStore(database) { store async throws in
            #expect(try await store.identities(userID: rob).map(\.subject) == ["r0b"])
            let changed = try await store.change(
                userID: rob, ProfileChanges(username: Username("robin")))
            #expect(changed?.username == "robin")
            #expect(try await store.successor(ofUsername: "r0b") == nil, "still private")
        }
        try database.set(.public, of: rob)
        #expect(try database.count(of: 1) == 8)
        #expect(
            try await withStore(database) { try await $0.successor(ofUsername: "r0b") } == "robin")
    }
}

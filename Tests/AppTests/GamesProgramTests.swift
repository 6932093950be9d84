import Foundation
import Postgres
import TestSupport
import Testing

/// What `fave-admin` does with IGDB, and what it says of the whole.
@Suite("fave-admin and IGDB", .blocking)
struct GamesProgramTests {
    private func environment(_ igdb: IGDBStandIn) -> [String: String] {
        [
            "IGDB_CLIENT_ID": IGDBStandIn.clientID,
            "IGDB_CLIENT_SECRET": IGDBStandIn.clientSecret, "IGDB_URL": igdb.url,
            "TWITCH_TOKEN_URL": igdb.tokenURL,
        ]
    }

    @Test("refreshes the games that it has not asked for of late")
    func refresh() async throws {
        let igdb = try IGDBStandIn()
        let database = try TestDatabase(.seeded)
        let session = try database.session()
        try session.execute(
            """
            DELETE FROM game_platforms; DELETE FROM games;
            INSERT INTO games (id, name) VALUES (1001, 'Old name'), (1002, 'x'), (999999, 'Ours')
            """)
        let first = try await Program.admin.run(
            ["refresh-games", "--json"], database: database, environment: environment(igdb))
        #expect(first.status == 0, "\(first.errors)")
        #expect(try first.object["asked"] as? Int == 3)
        #expect(try first.object["refreshed"] as? Int == 2)
        let names = try session.query("SELECT name FROM games ORDER BY id").map { row in
            try row[0] as String
        }
        #expect(names == ["Hollow Knight", "Hollow Knight: Silksong", "Ours"])
        #expect(
            try session.query("SELECT count(*) FROM game_platforms WHERE game_id = 1001")[0][0] > 0)
        let again = try await Program.admin.run(
            ["refresh-games"], database: database, environment: environment(igdb))
        #expect(again.output.contains("Nothing to do"))
        try session.execute(
            "UPDATE games SET fetched_at = now() - interval '3 days' WHERE id = 1002")
        let listed = try await Program.admin.run(
            ["refresh-games", "--older-than", "2", "--only-listed"], database: database,
            environment: environment(igdb))
        #expect(listed.output.contains("Nothing to do"), "it is on nobody's list")
        let old = try await Program.admin.run(
            ["refresh-games", "--older-than", "2", "--json"], database: database,
            environment: environment(igdb))
        #expect(try old.object["asked"] as? Int == 1)
        #expect(try igdb.log().minted == 1, "the token is stored")
    }

    @Test("takes the platforms of today from IGDB")
    func platforms() async throws {
        let igdb = try IGDBStandIn()
        let database = try TestDatabase(.migrated)
        let outcome = try await Program.admin.run(
            ["seed-platforms", "--from", "igdb", "--json"], database: database,
            environment: environment(igdb))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try (outcome.object["added"] as? Int ?? 0) > 10)
        let session = try database.session()
        #expect(
            try session.query("SELECT name FROM platforms WHERE id = 48")[0][0] == "PlayStation 4")
    }

    @Test("says what to do without credentials, and when IGDB does not take them")
    func credentials() async throws {
        let database = try TestDatabase(.seeded)
        let none = try await Program.admin.run(["refresh-games"], database: database)
        #expect(none.status != 0)
        #expect(none.errors.contains("IGDB_CLIENT_ID"))
        let igdb = try IGDBStandIn()
        let wrong = try await Program.admin.run(
            ["refresh-games"], database: database,
            environment: environment(igdb).merging(["IGDB_CLIENT_SECRET": "wrong secret"]) { $1 })
        #expect(wrong.status != 0)
        #expect(wrong.errors.contains("credentials"))
        #expect(!wrong.errors.contains("wrong secret"))
    }

    @Test("says in plain words what is right and what is wrong")
    func doctor() async throws {
        let igdb = try IGDBStandIn()
        let database = try TestDatabase(.seeded)
        let good = try await Program.admin.run(
            ["doctor"], database: database, environment: environment(igdb))
        #expect(good.status == 0, "\(good.output)")
        for part in ["ok    database", "ok    schema", "ok    platforms: 220", "ok    IGDB"] {
            #expect(good.output.contains(part), "\(part)")
        }
        let bad = try await Program.admin.run(
            ["doctor"], database: TestDatabase(.empty),
            environment: ["OIDC_ISSUER": "http://127.0.0.1:1", "OIDC_CLIENT_ID": "fave"])
        #expect(bad.status == 1)
        #expect(bad.output.contains("BAD   schema: The database is missing"))
        #expect(bad.output.contains("fave-admin migrate"))
        #expect(bad.output.contains("BAD   sign-in: with 127.0.0.1:1"))
        #expect(!bad.output.contains("IGDB"), "its token would be in the database")
        let poor = try await Program.admin.run(["doctor"], database: database)
        #expect(poor.output.contains("note  IGDB: no credentials"))
        let away = try await Program.admin.run(
            ["doctor", "--json"], environment: ["DATABASE_URL": "postgresql:///?host=/nowhere"])
        #expect(away.status == 1)
        #expect(away.output.contains(#""what" : "database""#))
        let settings = try await Program.admin.run(
            ["doctor"], database: database, environment: ["PORT": "many"])
        #expect(settings.status == 1)
        #expect(settings.output.contains("BAD   settings: PORT"))
    }
}

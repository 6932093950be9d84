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
            ["games", "refresh", "--json"], database: database, environment: environment(igdb))
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
            ["games", "refresh"], database: database, environment: environment(igdb))
        #expect(again.output.contains("Nothing to do"))
        try session.execute(
            "UPDATE games SET fetched_at = now() - interval '3 days' WHERE id = 1002")
        let listed = try await Program.admin.run(
            ["games", "refresh", "--older-than", "2", "--only-listed"], database: database,
            environment: environment(igdb))
        #expect(listed.output.contains("Nothing to do"), "it is on nobody's list")
        let old = try await Program.admin.run(
            ["games", "refresh", "--older-than", "2", "--json"], database: database,
            environment: environment(igdb))
        #expect(try old.object["asked"] as? Int == 1)
        #expect(try igdb.log().minted == 1, "the token is stored")
    }

    @Test("adds games that IGDB doesn't have, which servers find at once, and refreshing leaves")
    func ownGames() async throws {
        let igdb = try IGDBStandIn()
        let environment = environment(igdb)
        try await TestServer.run(settings: environment) { server in
            func admin(_ arguments: String...) async throws -> Program.Outcome {
                try await Program.admin.run(
                    ["games"] + arguments, database: server.database, environment: environment)
            }
            func found(_ text: String) throws -> [Int] {
                let response = try server.send("GET", "/api/v1/games?search=\(text)")
                let games = try #require(response.object["games"] as? [[String: Any]])
                return games.compactMap { $0["id"] as? Int }
            }
            // IGDB's response is in memory from now on.
            let before = try found("hollow")
            #expect(before.contains(1001))
            let added = try await admin(
                "add", "  Hollow  Garden ", "--platform", "switch", "--platform", "switch",
                "--year",
                "2026", "--json")
            #expect(added.status == 0, "\(added.errors)")
            let id = try #require(try added.object["game"] as? Int)
            #expect(id == 2_000_000_000)
            #expect(try added.object["name"] as? String == "Hollow Garden")
            #expect(try found("hollow") == [id] + before)
            #expect(try found("h%C3%B6llow%20gard") == [id])
            #expect(try server.send("GET", "/games/\(id)").status == 200)
            #expect(try igdb.log().requests.allSatisfy { !$0.body.contains("\(id)") })

            let twice = try await admin("add", "hollow garden", "--platform", "switch")
            #expect(twice.status == 1)
            #expect(twice.errors.contains("Game \(id) is Hollow Garden (2026)."))
            let nowhere = try await admin("add", "Other", "--platform", "commodore-65")
            #expect(nowhere.status == 4 && nowhere.errors.contains("commodore-65"))
            for arguments in [
                ["add", " ", "--platform", "switch"], ["add", "Other"],
                ["add", "Other", "--platform", "switch", "--year", "1234"],
                ["add", String(repeating: "x", count: 201), "--platform", "switch"],
            ] {
                let wrong = try await Program.admin.run(
                    ["games"] + arguments, database: server.database)
                #expect(wrong.status == 64, "\(arguments)")
            }

            let refreshed = try await admin("refresh", "--older-than", "0", "--json")
            #expect(refreshed.status == 0, "\(refreshed.errors)")
            #expect(try found("hollow").first == id)
            let session = try server.database.session()
            #expect(
                try session.query("SELECT fetched_at IS NULL FROM games WHERE id = \(id)")[0][0])

            let rob = try await server.makeUser("rob")
            func save(_ entries: String) throws {
                let saved = try server.send(
                    "PUT", "/api/v1/me/list", token: rob, fields: [("If-Match", "*")],
                    json: #"{"entries": [\#(entries)]}"#)
                #expect(saved.status == 200, "\(saved.text)")
            }
            try save(#"{"gameId": \#(id), "platformId": 130}"#)
            let kept = try await admin("remove", "\(id)")
            #expect(kept.status == 1 && kept.errors.contains("on someone's list"))
            try save("")
            #expect(try await admin("remove", "\(id)").output == "Hollow Garden is removed.\n")
            #expect(try found("hollow") == before)
            #expect(try await admin("remove", "\(id)").status == 4)
            #expect(try await admin("remove", "1001").status == 1)
        }
    }

    @Test("chooses covers, which servers show at once, and refreshing leaves")
    func covers() async throws {
        let igdb = try IGDBStandIn()
        let environment = environment(igdb)
        try await TestServer.run(settings: environment) { server in
            func choose(_ image: String, for game: Int = 1001) async throws -> Program.Outcome {
                try await Program.admin.run(
                    ["games", "cover", "\(game)", image, "--json"], database: server.database)
            }
            func shown() throws -> String? {
                let response = try server.send("GET", "/api/v1/games?search=hollow")
                let games = try #require(response.object["games"] as? [[String: Any]])
                let game = try #require(games.first { $0["id"] as? Int == 1001 })
                let address = game["coverUrl"] as? String
                return address?.split(separator: "/").last?.split(separator: ".").first
                    .map(String.init)
            }
            func refresh() async throws {
                let outcome = try await Program.admin.run(
                    ["games", "refresh", "--older-than", "0"], database: server.database,
                    environment: environment)
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            let before = try shown()
            #expect(before != nil && before != "co_mended")
            let address = "https://images.igdb.com/igdb/image/upload/t_cover_big_2x/co_mended.webp"
            let chosen = try await choose(address)
            #expect(chosen.status == 0, "\(chosen.errors)")
            #expect(try chosen.object["cover"] as? String == "co_mended")
            #expect(try shown() == "co_mended")
            try await refresh()
            #expect(try shown() == "co_mended")
            let none = try await choose("none")
            #expect(try none.object["cover"] is NSNull)
            try await refresh()
            #expect(try shown() == nil)
            #expect(try await choose("igdb").status == 0)
            try await refresh()
            #expect(try shown() == before)
            for image in ["https://evil.example/co1.jpg", "../co1", "Co1", ""] {
                #expect(try await choose(image).status == 64, "\(image)")
            }
            #expect(try await choose("co1", for: 4711).status == 4)
        }
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
        let none = try await Program.admin.run(["games", "refresh"], database: database)
        #expect(none.status != 0)
        #expect(none.errors.contains("IGDB_CLIENT_ID"))
        let igdb = try IGDBStandIn()
        let wrong = try await Program.admin.run(
            ["games", "refresh"], database: database,
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

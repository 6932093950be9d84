import FaveGames
import Foundation
import HTTP
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import Web

/// What is read must not depend on what can be written.
@Suite("Reading", .blocking)
struct ReadingTests {
    private static let list = """
        {"entries": [{"gameId": 71, "platformId": 6, "comment": "Why."}]}
        """
    private static let circle = "00000000-0000-4000-8000-00000000000c"
    private static let values = [
        "username": "rob", "platform": "win", "game": "71", "asset": "x", "card": "x.png",
        "kind": "not-found", "problem": "not-found", "provider": "x", "id": "71",
        "kept": "why", "secret": "x",
    ]

    /// A target for each route that is read, but for links of mail: whoever opens one is counted, as
    /// someone who signs in is, and could do nothing with the page.
    private static let targets = Routes.all.filter {
        $0.method == .get && !["/mail/confirm", "/sign-in/reset"].contains($0.pattern)
    }.map { route in
        route.pattern.replacing(/\{(\w+)\}/) { values[String($0.1)] ?? circle }
    }

    /// Someone with a list, a snapshot and a circle, whose browser and program were last seen long ago.
    private struct Viewer {
        let server: TestServer
        let browser: Browser
        let access: String
        let token: String

        init(_ server: TestServer) async throws {
            self.server = server
            browser = try server.browser("rob")
            access = try await server.token(of: "rob")
            _ = try server.send(
                "PUT", "/api/v1/me/list", token: access, fields: [("If-Match", "*")],
                json: ReadingTests.list)
            let made = try server.send(
                "POST", "/api/v1/me/tokens", token: access,
                json: """
                    {"name": "x", "scopes": ["read"], "expiresInDays": 30, "password": "\(Browser.password)"}
                    """)
            token = try #require(made.object.string("token"))
            try server.execute(
                """
                SELECT take_snapshot(id, 'Why', NULL) FROM users;
                WITH circle AS (
                    INSERT INTO circles (id, slug, name, visibility)
                    VALUES ('\(ReadingTests.circle)', '\(ReadingTests.circle)', 'Club', 'public') RETURNING id
                )
                INSERT INTO circle_members (circle_id, user_id, seat, place, owned)
                SELECT c.id, u.id, 1, 1, 1 FROM circle c, users u;
                UPDATE sessions SET seen_at = now() - interval '1 hour'
                """)
        }

        var uses: Int {
            get throws {
                try server.database.session().query(
                    """
                    SELECT (SELECT count(*) FROM sessions WHERE seen_at > now() - interval '1 minute')
                         + (SELECT count(*) FROM personal_tokens WHERE used_at IS NOT NULL)
                    """)[0][0]
            }
        }
    }

    @Test("goes on for those who are signed in where nothing can be written")
    func readOnly() async throws {
        let settings = ["LOOPS": "1", "STATEMENT_TIMEOUT_SECONDS": "60"]
        try await TestServer.run(settings: settings) { server in
            let reader = try await Viewer(server)
            let session = try server.database.session()
            func connections() throws -> Set<Int> {
                var processes: Set<Int> = []
                for row in try session.query(
                    """
                    SELECT pid FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name LIKE 'fave-server%'
                    """)
                { processes.insert(try row[0]) }
                return processes
            }
            try session.execute(
                "ALTER DATABASE \(server.database.name) SET default_transaction_read_only = on")
            for process in try connections() {
                try session.query("SELECT pg_terminate_backend($1, 60000)", [.int(process)])
            }
            try await eventually("other connections") {
                try server.send("GET", "/").status == 200 && connections().count == 2
            }
            for target in Self.targets {
                for response in [
                    try reader.browser.get(target),
                    try server.send("GET", target, token: reader.token),
                ] { #expect(response.status < 500, "\(target): \(response.status)") }
            }
            for page in [
                "/", "/me", "/settings", "/@rob", "/following", "/circles", "/entries",
                "/settings/tokens", "/games?search=portal", "/platforms/win",
            ] { #expect(try reader.browser.get(page).status == 200, "\(page)") }
            #expect(try server.send("GET", "/api/v1/me", token: reader.token).status == 200)
            let refused = try server.send(
                "PUT", "/api/v1/me/list", token: reader.access, fields: [("If-Match", "*")],
                json: #"{"entries": []}"#)
            try expectProblem(refused, 503)
            _ = try server.send("GET", "/@rob")
            #expect(
                try server.send("GET", "/@rob")["cache-status"] == "fave-games; hit; detail=checked"
            )
            #expect(try reader.uses == 0)
            try session.execute(
                """
                ALTER DATABASE \(server.database.name) RESET default_transaction_read_only
                """)
        }
    }

    @Test("doesn't wait for a synchronous standby that has stalled, and is noted all the same")
    func stalledStandby() async throws {
        let primary = try TestCluster()
        let database = try TestDatabase(.seeded, in: primary)
        try primary.session().execute(
            "ALTER DATABASE \(database.name) SET synchronous_commit = on")
        let standby = try primary.makeStandby()
        // A write that waits for the standby is given up after this time, and fails.
        let settings = ["LOOPS": "1", "STATEMENT_TIMEOUT_SECONDS": "20"]
        try await TestServer.run(on: database, settings: settings) { server in
            let reader = try await Viewer(server)
            try await eventually("the end of maintenance") {
                try server.count("maintenance WHERE succeeded_at IS NOT NULL")
                    == MaintenanceTask.allCases.count
            }
            try primary.demandStandby()
            try standby.freeze()
            defer { try? standby.resume() }
            #expect(try reader.browser.get("/me").status == 200)
            #expect(try server.send("GET", "/api/v1/me", token: reader.token).status == 200)
            try await eventually("notes of both uses") { try reader.uses == 2 }
            // What IGDB has found is stored before it is shown.
            let game = Game(
                id: 900_001, name: GameTitle("Found"), releaseYear: nil, coverImageID: nil)
            try await withStore(database) { store in
                try await store.keep([
                    FetchedGame(
                        game: game, type: 0, isEdition: false, ratingCount: 1, platformIDs: [6],
                        screenshotImageIDs: [])
                ])
                try await store.cacheSearch("found", gameIDs: [game.id])
                #expect(try await store.search(cached: "found")?.gameIDs == [game.id])
            }
        }
    }
}

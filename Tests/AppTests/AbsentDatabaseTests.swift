import Foundation
import Logging
import Migrations
import TestSupport
import Testing
import Web

@testable import App

@Suite("Without the database that it needs, fave-server", .blocking)
struct AbsentDatabaseTests {
    private struct Running {
        let program: RunningProgram
        let port: Int
        let adminPort: Int

        func get(
            _ target: String, _ fields: String = "", ofAdmin: Bool = false
        ) throws -> RawResponse {
            let connection = try RawConnection(port: ofAdmin ? adminPort : port)
            try connection.send(
                "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)Connection: close\r\n\r\n")
            return try connection.readResponse()
        }
    }

    private static func start(
        _ database: TestDatabase, _ environment: [String: String] = [:]
    ) async throws -> Running {
        let program = try Program.server.start(
            database: database,
            environment: ["PORT": "0", "LOOPS": "1", "ADMIN_LISTEN": "127.0.0.1:0"].merging(
                environment
            ) { $1 })
        let port = try await program.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1
        let adminPort = try await program.waitForErrors(/monitors on 127\.0\.0\.1:(\d+)/).1
        return Running(
            program: program, port: try #require(Int(port)),
            adminPort: try #require(Int(adminPort)))
    }

    private static func end(_ server: Running) async throws {
        server.program.send(signal: SIGTERM)
        let outcome = try await server.program.end()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("starts, says so on a page of its own, and serves once PostgreSQL is there")
    func away() async throws {
        let cluster = try TestCluster()
        let database = try TestDatabase(in: cluster)
        try cluster.stop()
        let server = try await Self.start(database, ["CACHE_STALE_SECONDS": "60"])
        _ = try await server.program.waitForErrors(/waiting for PostgreSQL: .*Check DATABASE_URL/)
        for (target, fields) in [
            ("/", ""), ("/platforms/win", ""), ("/about", "Cookie: session=abc\r\n"),
            ("/me", "Cookie: __Host-session=abc\r\n"), ("/nowhere", ""),
        ] {
            let page = try server.get(target, fields)
            #expect(page.status == 503, "\(target)")
            #expect(page["content-type"]?.hasPrefix("text/html") == true, "\(target)")
            #expect(page.text.contains("We can’t reach our data right now."), "\(target)")
            #expect(page["retry-after"] != nil, "\(target)")
        }
        // A 401 would make clients forget a token that is good.
        for fields in ["", "Authorization: Bearer abc\r\n"] {
            let response = try server.get("/api/v1/me", fields)
            #expect(response.status == 503)
            #expect(response["content-type"] == "application/problem+json")
        }
        for target in ["/ping", "/assets/site.css", "/about"] {
            #expect(try server.get(target).status == 200, "\(target)")
        }
        #expect(try server.get("/health").status == 503, "there is nothing in memory yet")
        #expect(try server.get("/live", ofAdmin: true).status == 200)
        let ready = try server.get("/ready", ofAdmin: true)
        #expect(ready.status == 503 && ready.text == "PostgreSQL cannot be reached\n")

        try cluster.start()
        try await eventually("the server serves") { try server.get("/").status == 200 }
        #expect(try server.get("/ready", ofAdmin: true).text == "ready\n")
        #expect(try server.get("/health").text == "ok\n")
        #expect(try server.get("/api/v1/me", "Authorization: Bearer abc\r\n").status == 401)
        _ = try await server.program.waitForErrors(/the database can be used now/)
        try await Self.end(server)
    }

    @Test("says what the operator says about it, in maintenance mode")
    func maintenance() async throws {
        let cluster = try TestCluster()
        let database = try TestDatabase(.migrated, in: cluster)
        try database.session().execute(
            "INSERT INTO maintenance_mode (message) VALUES ('We move to a new host until 15:00.')")
        let server = try await Self.start(database)
        expectMessage(try server.get("/sign-in"), "it is known from the start")
        #expect(try server.get("/users").status == 200)
        #expect(try server.get("/health").text == "ok\n")
        try database.session().execute("CHECKPOINT")
        try cluster.stop()
        expectMessage(try server.get("/users?search=rob"), "there is nothing to read")
        try await eventually("it is noticed") { try server.get("/health").status == 503 }
        try cluster.start()
        try await eventually("it serves") { try server.get("/users?search=rob").status == 200 }
        expectMessage(try server.get("/sign-in"), "it is not over")
        try await Self.end(server)
    }

    private func expectMessage(
        _ page: RawResponse, _ why: Comment, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(page.status == 503, why, sourceLocation: location)
        #expect(
            page.text.contains("We move to a new host until 15:00."), why, sourceLocation: location)
        #expect(page["retry-after"] == "60", sourceLocation: location)
    }

    @Test("stops at once while PostgreSQL is away")
    func stops() async throws {
        let cluster = try TestCluster()
        let database = try TestDatabase(.migrated, in: cluster)
        try cluster.stop()
        try await Self.end(Self.start(database))
        withExtendedLifetime(cluster) {}
    }

    @Test("waits for someone to migrate, and says what to run")
    func schema() async throws {
        let database = try TestDatabase(.empty)
        let server = try await Self.start(database)
        _ = try await server.program.waitForErrors(/waiting for the schema: .*fave-admin migrate/)
        #expect(try server.get("/").status == 503)
        let ready = try server.get("/ready", ofAdmin: true)
        #expect(ready.status == 503 && ready.text.contains("Run: fave-admin migrate"))
        let migrated = try await Program.admin.run(["migrate"], database: database)
        #expect(migrated.status == 0, "\(migrated.errors)")
        try await eventually("the server serves") { try server.get("/").status == 200 }
        #expect(try server.get("/ready", ofAdmin: true).text == "ready\n")
        try await Self.end(server)
    }

    @Test("ends if a unit starts it again, so that the unit's migration is made up for")
    func startsAgain() async throws {
        let cluster = try TestCluster()
        let database = try TestDatabase(.empty, in: cluster)
        try cluster.stop()
        let server = try await Self.start(database, ["NOTIFY_SOCKET": "/nonexistent/notify"])
        _ = try await server.program.waitForErrors(/waiting for PostgreSQL/)
        #expect(try server.get("/").status == 503)
        try cluster.start()
        let outcome = try await server.program.end()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("stopped"), "\(outcome.errors)")
        #expect(outcome.errors.contains("Error: The database has an older schema: ending"))
    }

    @Test("gives others time to migrate before it has to start again", arguments: [true, false])
    func patience(isOver: Bool) async throws {
        let database = try TestDatabase(.empty)
        let settings = try ServerSettings(
            SettingsReader(environment: ["DATABASE_URL": database.url]))
        let log = Recorder<String>()
        let preparation = Preparation(
            settings, try Migration.embedded(), ReadyState(),
            migrationPatience: isOver ? .zero : .seconds(86_400),
            Logger(label: "test") { _ in
                LineLogHandler(LineFormat(.text, isJournal: false), Repetitions()) {
                    log.record(String(decoding: $0, as: UTF8.self))
                }
            })
        async let keys = preparation.run()
        if isOver {
            #expect(await keys == nil)
            for await _ in preparation.restarts { break }
        } else {
            try await eventually("it has seen the schema") {
                log.elements.contains { $0.contains("waiting for the schema") }
            }
            let migrated = try await Program.admin.run(["migrate"], database: database)
            #expect(migrated.status == 0, "\(migrated.errors)")
            #expect(await keys?.count == 1)
        }
    }

    @Test("says that it waits for another database, once it serves without one")
    func unusable() async throws {
        let cluster = try TestCluster()
        let database = try TestDatabase(.migrated, in: cluster)
        try await PreviousVersionTests.upgrade(
            database, with: "ALTER TABLE platforms ADD COLUMN next integer;")
        // Stopped like this, it would forget the last commits.
        try database.session().execute("CHECKPOINT")
        try cluster.stop()
        let server = try await Self.start(database)
        _ = try await server.program.waitForErrors(/waiting for PostgreSQL/)
        try cluster.start()
        _ = try await server.program.waitForErrors(/waiting for another database: \S/)
        try await Self.end(server)
    }

    /// As PostgreSQL says it when it can't make a table's file longer.
    @Test(
        "responds to saves with a 503 while PostgreSQL's disk is full, and logs each time the same")
    func fullDisk() async throws {
        let log = Recorder<String>()
        try await TestServer.run(log: log) { server in
            let token = try await server.makeUser("rob")
            let session = try server.database.session()
            try session.execute(
                """
                CREATE SEQUENCE file;
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    RAISE EXCEPTION 'could not extend file "base/5/%"', nextval('file')
                        USING ERRCODE = 'disk_full';
                END $$;
                CREATE TRIGGER fail BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION fail()
                """)
            let list = #"{"entries": [{"gameId": 71, "platformId": 6, "comment": ""}]}"#
            func save() throws -> RawResponse {
                try server.send(
                    "PUT", "/api/v1/me/list", token: token, fields: [("If-Match", "*")], json: list)
            }
            _ = log.take()
            for _ in 0..<2 {
                let response = try save()
                #expect(response.status == 503, "\(response.text)")
                #expect(response.text.contains("We have no room"), "\(response.text)")
            }
            let lines = log.elements.filter { $0.hasPrefix("error") || $0.hasPrefix("warning") }
            #expect(lines.count == 2, "\(lines)")
            #expect(
                lines.allSatisfy {
                    $0.hasPrefix("error: PostgreSQL has no room (53100): is its disk full? ")
                })
            #expect(lines.last?.contains("base/5/2") == true, "the details are beside it")
            try session.execute("DROP TRIGGER fail ON entries")
            #expect(try save().status == 200)
        }
    }
}

/// This program and a newer one, which has one more migration.
@Suite("After an upgrade, the previous version", .blocking)
struct PreviousVersionTests {
    /// Migrates a database as a newer version would.
    static func upgrade(_ database: TestDatabase, with sql: String) async throws {
        try await TemporaryFolder.with { folder in
            try folder.writeMigrations(andThen: sql)
            let outcome = try await Program.admin.run(
                ["migrate", "--from", folder.path], database: database)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test("is the way back, if the newer schema allows it")
    func back() async throws {
        let database = try TestDatabase()
        let known = try Migration.embedded().count
        try await Self.upgrade(
            database,
            with: "-- oldest-server: \(known)\nALTER TABLE platforms ADD COLUMN next integer;")
        // What its unit runs before each start.
        for (arguments, words) in [
            (["migrate"], "is at migration \(known + 1), which is newer and works with"),
            (["seed-platforms", "--if-empty"], "all 220 platforms are already"),
            (["seed-catalogue", "--if-empty"], "Nothing to do"),
            (["recount", "--check"], "All counts are correct"),
        ] {
            let outcome = try await Program.admin.run(arguments, database: database)
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            #expect(outcome.output.contains(words), "\(arguments): \(outcome.output)")
        }
        let check = try await Program.server.run(["--check"], database: database)
        #expect(check.output.contains("ok    schema: at migration \(known + 1), which is newer"))
        let server = try Program.server.start(
            database: database, environment: ["PORT": "0", "LOOPS": "1"])
        let port = try #require(
            Int(try await server.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1))
        let connection = try RawConnection(port: port)
        try connection.send("GET /platforms/win HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(try connection.readResponse().status == 200)
        server.send(signal: SIGTERM)
        #expect(try await server.end().status == 0)
        try await TemporaryFolder.with { folder in
            let backup = try await Program.admin.run(
                ["backup", folder.path + "/x"], database: database)
            #expect(backup.status == 0, "\(backup.errors)")
        }
    }

    @Test("is refused if the newer schema doesn't allow it")
    func noWayBack() async throws {
        let database = try TestDatabase(.migrated)
        try await Self.upgrade(database, with: "ALTER TABLE platforms ADD COLUMN next integer;")
        let migrate = try await Program.admin.run(["migrate"], database: database)
        #expect(migrate.status == 1)
        #expect(migrate.errors.contains("set up by a newer one"))
    }
}

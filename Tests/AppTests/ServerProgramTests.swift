import FaveGames
import Foundation
import Migrations
import Postgres
import TestSupport
import Testing

@testable import App

@Suite("fave-server", .blocking)
struct ServerProgramTests {
    private static let settings = ["PORT": "0", "LOOPS": "2"]

    @Test("lists its settings when asked for help")
    func help() async throws {
        let outcome = try await Program.server.run(["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("DATABASE_URL"))
        #expect(outcome.output.contains("MAX_CONNECTIONS"))
    }

    @Test(
        "serves until SIGTERM, SIGINT or SIGHUP, and then ends well",
        arguments: [SIGTERM, SIGINT, SIGHUP])
    func stops(signal: Int32) async throws {
        let database = try TestDatabase()
        // The tests themselves may run under nohup.
        let server = try Program(name: "env", folder: "/usr/bin").start(
            ["--default-signal=HUP,INT", try Program.server.path], database: database,
            environment: Self.settings)
        let port = try #require(
            Int(try await server.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1))
        let connection = try RawConnection(port: port)
        try connection.send("GET /api/v1/platforms/48 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try connection.readResponse().status == 200)
        // The connection stays open and idle: it must not hold up the end.
        server.send(signal: signal)
        let outcome = try await server.end()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try connection.isClosedByServer())
        withExtendedLifetime(database) {}
    }

    @Test("says which signals end it, and ignores others, and SIGHUP under nohup")
    func otherSignals() async throws {
        let help = try await Program.server.run(["--help"])
        #expect(help.output.contains("SIGTERM, SIGINT and SIGHUP"))
        let database = try TestDatabase()
        let server = try Program(name: "nohup", folder: "/usr/bin").start(
            [try Program.server.path], database: database, environment: Self.settings)
        let port = try #require(
            Int(try await server.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1))
        for signal in [SIGUSR1, SIGUSR2, SIGXFSZ, SIGHUP] {
            server.send(signal: signal)
            let connection = try RawConnection(port: port)
            try connection.send("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try connection.readResponse().status == 200, "\(signal)")
        }
        server.send(signal: SIGTERM)
        let outcome = try await server.end()
        #expect(outcome.status == 0, "\(outcome.errors)")
        // They were not only late.
        #expect(outcome.errors.matches(of: /stopping: finishing/).count == 1)
    }

    @Test("serves and ends, though nobody reads its log any more", arguments: ["text", "json"])
    func unreadLog(format: String) async throws {
        let database = try TestDatabase()
        try await TemporaryFolder.with { folder in
            let path = folder.path + "/log"
            mkfifo(path, 0o600)
            let log = open(path, O_RDWR | O_CLOEXEC)
            defer { close(log) }
            let server = try Program(name: "sh", folder: "/bin").start(
                ["-c", "exec \"$0\" 2>\"$1\"", try Program.server.path, path], database: database,
                environment: Self.settings.merging(
                    ["ACCESS_LOG": "on", "LOG_FORMAT": format]) { $1 })
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 4096)
            while text.firstMatch(of: /listening on/) == nil || !text.hasSuffix("\n") {
                text += String(decoding: buffer[..<read(log, &buffer, buffer.count)], as: UTF8.self)
            }
            let port = try #require(
                text.firstMatch(of: /listening on 127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) })
            // The lines of these fill the pipe and what may wait in memory, twice.
            for _ in 0..<20 {
                let connection = try RawConnection(port: port)
                let agent = String(repeating: "x", count: 1000)
                for _ in 0..<100 {
                    try connection.send(
                        "GET /robots.txt HTTP/1.1\r\nHost: x\r\nUser-Agent: \(agent)\r\n\r\n")
                    #expect(try connection.readResponse().status == 200)
                }
            }
            let connection = try RawConnection(port: port)
            try connection.send("GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try connection.readResponse().status == 200)
            server.send(signal: SIGTERM)
            #expect(try await server.end().status == 0)
        }
    }

    @Test("serves and ends, though the name server never responds", .thorough)
    func silentNames() async throws {
        let database = try TestDatabase()
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        let unshare = Program(name: "unshare", folder: "/usr/bin")
        // The tests' PostgreSQL belongs to a user whom root could not see in a namespace of users.
        let apart = (geteuid() == 0 ? [] : ["--map-root-user"]) + ["--mount", "--net"]
        // Some systems allow users no namespaces.
        guard try await unshare.run(apart + ["true"]).status == 0 else { return }
        let outcome = try await unshare.run(
            apart + [
                "/usr/bin/python3", "\(folder)/../Python/silent_names.py",
                "\(try Program.server.path)",
            ], database: database)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try outcome.object
        #expect(report["failures"] as? [Int] == [], "\(outcome.output)")
        #expect(report["live"] as? Int ?? 0 > 10)
        #expect(report["ended"] as? [Int] == [0, 0], "\(outcome.output)")
    }

    @Test("says why it ends after everything else, and loses none of that")
    func lastWords() async throws {
        let outcome = try await Program.server.run(
            environment: ["HOST": "unix:/nowhere/x.sock", "DATABASE_URL": "host=/nowhere"])
        #expect(outcome.status != 0)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.first?.contains(": Fave Games \(Release.version)") == true)
        #expect(lines.contains { $0.contains("waiting for PostgreSQL") })
        #expect(lines.last?.hasPrefix("Error: Cannot listen on") == true, "\(outcome.errors)")
    }

    @Test("has a loop for each core that it may use")
    func affinity() async throws {
        let database = try TestDatabase()
        let server = try Program(name: "taskset", folder: "/usr/bin").start(
            ["-c", "0", try Program.server.path], database: database,
            environment: ["PORT": "0", "ADMIN_LISTEN": "127.0.0.1:0"])
        let port = try #require(
            Int(try await server.waitForErrors(/serving monitors on 127\.0\.0\.1:(\d+)/).1))
        func loops() throws -> Set<Substring> {
            let connection = try RawConnection(port: port)
            try connection.send(
                "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            let metrics = try connection.readResponse().text
            return Set(metrics.matches(of: /eventloop_turn[^\n]*loop="(\d+)"/).map(\.1))
        }
        try await eventually("the loops have turned") { try !loops().isEmpty }
        #expect(try loops() == ["0"])
    }

    @Test("has its cached responses compared with the database by fave-admin doctor")
    func doctor() async throws {
        let database = try TestDatabase()
        let session = try database.session()
        _ = try session.query("INSERT INTO users (username, display_name) VALUES ('rob', 'Rob')")
        _ = try session.query(
            "INSERT INTO entries (user_id, position, game_id, platform_id) SELECT id, 1, 71, 6 FROM users"
        )
        let server = try Program.server.start(
            database: database, environment: ["PORT": "0", "LOOPS": "1"])
        let port = try await server.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1
        func doctor() async throws -> (status: Int32, output: String) {
            let outcome = try await Program.admin.run(
                ["doctor"], database: database,
                environment: ["PUBLIC_URL": "http://127.0.0.1:\(port)"])
            return (outcome.status, outcome.output)
        }
        let good = try await doctor()
        #expect(good.status == 0, "\(good.output)")
        // Four overviews, a list and a ranking, each of these as a page and in the API.
        #expect(good.output.contains("ok    cached responses: 8 match the database"))
        try session.execute(
            """
            SET session_replication_role = replica;
            UPDATE users SET display_name = 'Bob';
            RESET session_replication_role
            """)
        let bad = try await doctor()
        #expect(bad.status == 1)
        #expect(bad.output.contains("BAD   cached responses: older than the database: "))
        #expect(bad.output.contains("/@rob") && bad.output.contains("Restart fave-server"))
        server.send(signal: SIGTERM)
        _ = try await server.end()
    }

    @Test("says first what it is")
    func firstLine() async throws {
        let server = try Program.server.start(
            environment: ["PORT": "0", "LOOPS": "1", "DATABASE_URL": "host=/nowhere"])
        _ = try await server.waitForErrors(/listening on/)
        let line = try #require(server.errors.split(separator: "\n").first)
        let schema = try Migration.embedded().count
        #expect(line.contains(": Fave Games \(Release.version)"))
        #expect(line.hasSuffix(", schema \(schema)"))
    }

    @Test("does not complain of a priority that a service without privileges can't have")
    func priorities() async throws {
        let database = try TestDatabase()
        let unprivileged = """
            [ "$(id -u)" = 0 ] && exec setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice "$0"
            exec "$0"
            """
        let server = try Program(name: "sh", folder: "/bin").start(
            ["-c", unprivileged, try Program.server.path], database: database,
            // libdispatch would say so to syslog, where a test does not look.
            environment: Self.settings.merging(["LIBDISPATCH_LOG": "stderr"]) { $1 })
        _ = try await server.waitForErrors(/listening on/)
        server.send(signal: SIGTERM)
        let outcome = try await server.end()
        #expect(outcome.status == 0)
        #expect(!outcome.errors.contains("thread priority"), "\(outcome.errors)")
    }

    @Test("says that it stops, goes on for a while, and then ends")
    func shutdownDelay() async throws {
        let database = try TestDatabase()
        let server = try Program.server.start(
            database: database,
            environment: Self.settings.merging(["SHUTDOWN_DELAY_SECONDS": "2"]) { $1 })
        let port = try #require(
            Int(try await server.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1))
        func ready() throws -> Int {
            let connection = try RawConnection(port: port)
            try connection.send("GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return try connection.readResponse().status
        }
        #expect(try ready() == 200)
        server.send(signal: SIGTERM)
        _ = try await server.waitForErrors(/stopping in/)
        #expect(try ready() == 503)
        let outcome = try await server.end()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(RawConnection.isRefused(port: port))
    }

    @Test(
        "is restarted under load without a failed request, with the sockets held by its parent",
        .thorough)
    func restarts() async throws {
        let database = try TestDatabase()
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        let outcome = try await Program(name: "python3", folder: "/usr/bin").run(
            ["\(folder)/../Python/restarts.py", "\(try Program.server.path)", "3"],
            database: database)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try outcome.object
        #expect(report["failures"] as? Int == 0, "\(outcome.output)")
        #expect(report["requests"] as? Int ?? 0 > 50)
        #expect(report["watchdog"] as? Int ?? 0 > 0)
        #expect(report["sockets"] as? Int ?? 0 >= 2)
    }

    @Test(
        "goes on while the database is upgraded, and is restarted then, without a failed request",
        .thorough)
    func upgrade() async throws {
        let database = try TestDatabase()
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        try await TemporaryFolder.with { migrations in
            let known = try Migration.embedded().count
            try migrations.writeMigrations(
                andThen: """
                    -- A change that servers of this version can go on with.
                    -- oldest-server: \(known)
                    -- step: A column
                    ALTER TABLE platforms ADD COLUMN trial integer;
                    -- step (outside a transaction): An index
                    CREATE INDEX CONCURRENTLY platforms_trial ON platforms (trial);
                    -- step: A rule
                    ALTER TABLE platforms ADD CONSTRAINT trial CHECK (trial > 0) NOT VALID;
                    -- step: The rule holds
                    ALTER TABLE platforms VALIDATE CONSTRAINT trial;
                    """)
            let outcome = try await Program(name: "python3", folder: "/usr/bin").run(
                [
                    "\(folder)/../Python/restarts.py", "\(try Program.server.path)", "2",
                    "\(try Program.admin.path)", migrations.path,
                ], database: database)
            #expect(outcome.status == 0, "\(outcome.errors)")
            // Its last line: fave-admin has printed what it applied before.
            let line = try #require(outcome.output.split(separator: "\n").last)
            let report = try #require(
                JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(report["failures"] as? Int == 0, "\(outcome.output)")
            #expect(report["requests"] as? Int ?? 0 > 50)
            let version: Int = try database.session().query(
                "SELECT max(version) FROM schema_migrations")[0][0]
            #expect(version == known + 1)
        }
    }

    @Test("takes no more connections than it is told to, however few")
    func fewConnections() async throws {
        let database = try TestDatabase()
        let server = try Program.server.start(
            database: database, environment: Self.settings.merging(["MAX_CONNECTIONS": "4"]) { $1 })
        _ = try await server.waitForErrors(/up to 4 connections, 4 from one address/)
        _ = try await server.waitForErrors(/listening on/)
    }

    @Test("with few descriptors takes fewer clients, tells the others, and keeps its database")
    func fewDescriptors() async throws {
        let database = try TestDatabase()
        let limited = "ulimit -n 256 && exec \(try Program.server.path)"
        let server = try Program(name: "sh", folder: "/bin").start(
            ["-c", limited], database: database,
            environment: ["PORT": "0", "LOOPS": "1", "TRUSTED_PROXIES": "127.0.0.1"])
        let limit = try #require(
            Int(try await server.waitForErrors(/up to (\d+) connections/).1))
        #expect((100...200).contains(limit))
        let port = try #require(
            Int(try await server.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1))
        // None of them idles: each has begun a request.
        let clients = try (0..<limit).map { _ in
            let connection = try RawConnection(port: port)
            try connection.send("GET /ping HTTP/1.1\r\n")
            return connection
        }
        // By the time that this one has a response the loop has read what was sent before.
        let last = clients[limit - 1]
        try last.send("Host: x\r\n\r\n")
        #expect(try last.readResponse().status == 200)
        try last.send("GET /ping HTTP/1.1\r\n")
        try await eventually {
            let refused = try RawConnection(port: port)
            return (try? refused.readResponse())?.status == 503
        }
        // Every connection to the database is lost, and made anew beside the clients.
        try database.session().execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        try clients[0].send("Host: x\r\n\r\n")
        #expect(try clients[0].readResponse().status == 200)
        try await eventually {
            try clients[0].send("GET /api/v1/platforms/48 HTTP/1.1\r\nHost: x\r\n\r\n")
            return try clients[0].readResponse().status == 200
        }
        withExtendedLifetime(clients) {}
    }

    @Test("refuses a database that a newer version has set up")
    func newer() async throws {
        let database = try TestDatabase(.migrated)
        try database.session().execute(
            """
            INSERT INTO schema_migrations (version, name, checksum)
            SELECT max(version) + 1, 'from_the_future', 'x' FROM schema_migrations
            """)
        let outcome = try await Program.server.run(database: database, environment: Self.settings)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("newer"))
        #expect(outcome.errors.contains("from_the_future"))
    }

    @Test("refuses a port that is taken, and says so")
    func takenPort() async throws {
        try await TestServer.run(.migrated) { other in
            let outcome = try await Program.server.run(
                database: other.database, environment: ["PORT": "\(other.port)"])
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains("127.0.0.1:\(other.port) is in use"))
            #expect(outcome.errors.contains("PORT"))
        }
    }

    @Test("refuses settings and databases that it cannot use")
    func badSettings() async throws {
        let database = try TestDatabase(.migrated)
        for (environment, words) in [
            (["PORT": "http"], "PORT"), (["DATABASE_URL": "postgresql://["], "DATABASE_URL"),
            (["LOG_FORMAT": "xml"], "LOG_FORMAT"),
        ] {
            let outcome = try await Program.server.run(
                database: database, environment: environment)
            #expect(outcome.status != 0, "\(environment)")
            #expect(outcome.errors.contains(words), "\(environment): \(outcome.errors)")
        }
    }
}

import Foundation
import Postgres
import TestSupport
import Testing

@testable import App

@Suite("fave-server")
struct ServerProgramTests {
    private static let settings = ["PORT": "0", "LOOPS": "2"]

    @Test("lists its settings when asked for help")
    func help() async throws {
        let outcome = try await Program.server.run(["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("DATABASE_URL"))
        #expect(outcome.output.contains("MAX_BODY_BYTES"))
    }

    @Test("serves until SIGTERM or SIGINT, and then ends well", arguments: [SIGTERM, SIGINT])
    func stops(signal: Int32) async throws {
        let database = try TestDatabase()
        let server = try Program.server.start(database: database, environment: Self.settings)
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

    @Test("refuses a database without the schema, and names the command to run")
    func unmigrated() async throws {
        let database = try TestDatabase(.empty)
        let outcome = try await Program.server.run(database: database, environment: Self.settings)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("fave-admin migrate"))
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
            #expect(outcome.errors.contains("127.0.0.1:\(other.port) is taken"))
            #expect(outcome.errors.contains("PORT"))
        }
    }

    @Test("refuses settings and databases that it cannot use")
    func badSettings() async throws {
        let database = try TestDatabase(.migrated)
        for (environment, words) in [
            (["PORT": "http"], "PORT"), (["DATABASE_URL": "host=/nonexistent"], "DATABASE_URL"),
            (["LOG_FORMAT": "xml"], "LOG_FORMAT"),
        ] {
            let outcome = try await Program.server.run(
                database: database, environment: environment)
            #expect(outcome.status != 0, "\(environment)")
            #expect(outcome.errors.contains(words), "\(environment): \(outcome.errors)")
        }
    }
}

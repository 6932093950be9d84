import Foundation
import Migrations
import Postgres
import TestSupport
import Testing

@testable import App

@Suite("The two programs alone, in an empty folder", .blocking)
struct CopiedProgramsTests {
    @Test("set up an empty database, fill it and serve it")
    func alone() async throws {
        try await TemporaryFolder.with { folder in
            let admin = try Program.admin.copied(to: folder.path)
            let server = try Program.server.copied(to: folder.path)
            let database = try TestDatabase(.empty)
            for command in ["migrate", "seed-platforms", "seed-catalogue"] {
                let outcome = try await admin.run([command], database: database)
                #expect(outcome.status == 0, "\(command): \(outcome.errors)")
            }
            let running = try server.start(
                database: database, environment: ["PORT": "0", "LOOPS": "1"])
            let port = try #require(
                Int(try await running.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1))
            var stylesheet: String?
            for target in ["/", "/api", "/api/v1/openapi.json", "/api/v1/games/71", "/favicon.ico"]
            {
                let connection = try RawConnection(port: port)
                try connection.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
                let response = try connection.readResponse()
                #expect(response.status == 200, "\(target)")
                if target == "/" {
                    stylesheet = response.text.firstMatch(of: /href="(\/assets\/site\.css[^"]*)"/)
                        .map { String($0.1) }
                }
            }
            let connection = try RawConnection(port: port)
            try connection.send(
                "GET \(try #require(stylesheet)) HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try connection.readResponse()
            #expect(response.status == 200)
            #expect(response["cache-control"]?.contains("immutable") == true)
            running.send(signal: SIGTERM)
            #expect(try await running.end().status == 0)
            withExtendedLifetime(database) {}
        }
    }

    @Test("try migrations of a folder before they are in the program")
    func folder() async throws {
        try await TemporaryFolder.with { folder in
            let database = try TestDatabase(.empty)
            try folder.write("0001_first.sql", Data("CREATE TABLE first (id integer)".utf8))
            let outcome = try await Program.admin.run(
                ["migrate", "--from", folder.path], database: database)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("0001_first.sql"))
            let missing = try await Program.admin.run(
                ["migrate", "--from", folder.path + "/nothing"], database: database)
            #expect(missing.status != 0)
            #expect(missing.errors.contains(folder.path + "/nothing"))
            // What the program knows is not what was applied.
            let check = try await Program.server.run(
                database: database, environment: ["PORT": "0"])
            #expect(check.status != 0)
            #expect(check.errors.contains("0001_names.sql"))
        }
    }

    @Test("hold the migrations of the repository, byte for byte")
    func migrations() throws {
        let files = try Migration.load(from: TestDatabase.migrationsFolder)
        let embedded = try Migration.embedded()
        #expect(files.count > 5)
        #expect(embedded.map(\.checksum) == files.map(\.checksum))
        #expect(embedded.map(\.fileName) == files.map(\.fileName))
    }
}

import Foundation
import TestSupport
import Testing

@testable import App

@Suite("The connections to PostgreSQL", .blocking)
struct ConnectionsTests {
    @Test("are five for each loop, and 80 for all of them")
    func standard() throws {
        for (loops, connections) in [(1, 5), (16, 5), (20, 4), (40, 2), (256, 1)] {
            let settings = try ServerSettings(SettingsReader(environment: ["LOOPS": "\(loops)"]))
            #expect(settings.database.connections == connections, "\(loops)")
        }
    }

    @Test("leave some for fave-admin")
    func spare() {
        #expect(ConnectionsCheck(wanted: 80, allowed: 97).warnings == [])
        #expect(ConnectionsCheck(wanted: 94, allowed: 97).warnings == [])
        let warning = ConnectionsCheck(wanted: 95, allowed: 97).warnings.first
        #expect(warning?.hasPrefix("this server opens 95 connections") == true)
        #expect(warning?.contains("allows 97 in all") == true)
    }

    @Test("are compared with what PostgreSQL allows, by --check and by the server")
    func programs() async throws {
        let database = try TestDatabase()
        func check(_ words: String) async throws {
            let outcome = try await Program.server.run(
                ["--check"], database: database, environment: ["PORT": "0", "LOOPS": "2"])
            #expect(outcome.output.contains(words), "\(outcome.output)")
        }
        // The tests' cluster has max_connections=400, three of them for superusers.
        try await check("ok    connections: 10 of the 397 that PostgreSQL allows")
        try database.session().execute("ALTER DATABASE \(database.name) CONNECTION LIMIT 12")
        try await check("note  connections: this server opens 10 connections")
        let server = try Program.server.start(
            database: database, environment: ["PORT": "0", "LOOPS": "2"])
        _ = try await server.waitForErrors(
            /warning: this server opens 10 connections .* allows 12 in all/)
        _ = try await server.waitForErrors(/listening on/)
        server.send(signal: SIGTERM)
        #expect(try await server.end().status == 0)
    }
}

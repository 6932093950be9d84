import Foundation
import TestSupport
import Testing

@testable import App

@Suite("Settings of PostgreSQL that can lose what was acknowledged", .blocking)
struct DurabilityTests {
    private typealias Setting = DurabilityCheck.Setting

    private func warnings(_ changed: [String: DurabilityCheck.Setting]) -> [String] {
        let good = [
            "synchronous_commit": "on", "synchronous_standby_names": "", "fsync": "on",
            "full_page_writes": "on",
        ].mapValues { Setting(value: $0, source: "default") }
        return DurabilityCheck(
            settings: good.merging(changed) { $1 }, role: "fave", database: "\"fave-games\""
        ).warnings
    }

    @Test("are none by default, nor with what is as safe on the machines that there are")
    func safe() {
        #expect(warnings([:]) == [])
        for value in ["on", "local", "remote_write", "remote_apply"] {
            let alone = Setting(value: value, source: "user")
            #expect(warnings(["synchronous_commit": alone]) == [], "\(value)")
        }
        let standbys = Setting(value: "ANY 1 (one, two)", source: "configuration file")
        for value in ["on", "remote_write", "remote_apply"] {
            #expect(
                warnings([
                    "synchronous_commit": Setting(value: value, source: "user"),
                    "synchronous_standby_names": standbys,
                ]) == [], "\(value)")
        }
    }

    @Test("are each named, with what it breaks")
    func unsafe() {
        let off = Setting(value: "off", source: "configuration file")
        for (name, loss) in [
            ("synchronous_commit", "a crash loses those of the last moment"),
            ("fsync", "beyond repair"), ("full_page_writes", "stays damaged"),
        ] {
            let found = warnings([name: off])
            #expect(found.count == 1)
            #expect(found.first?.hasPrefix("\(name) is off: ") == true)
            #expect(found.first?.contains(loss) == true)
            #expect(found.first?.contains("postgresql.conf") == true)
        }
        let local = warnings([
            "synchronous_commit": Setting(value: "local", source: "database"),
            "synchronous_standby_names": Setting(value: "*", source: "configuration file"),
        ])
        #expect(local.count == 1)
        #expect(local.first?.contains("a failover loses those of the last moment") == true)
    }

    @Test(
        "are undone where they were made",
        arguments: [
            ("user", "Run: ALTER ROLE fave RESET synchronous_commit"),
            ("database", #"Run: ALTER DATABASE "fave-games" RESET synchronous_commit"#),
            (
                "database user",
                #"Run: ALTER ROLE fave IN DATABASE "fave-games" RESET synchronous_commit"#
            ),
            ("global", "Run: ALTER ROLE ALL RESET synchronous_commit"),
            ("client", "Take it out of DATABASE_URL or PGOPTIONS"),
            ("command line", "Take it out of the options that PostgreSQL is started with"),
            ("configuration file", "Turn it on in postgresql.conf, and reload that"),
        ])
    func remedies(source: String, remedy: String) {
        let found = warnings(["synchronous_commit": Setting(value: "off", source: source)])
        #expect(found.first?.hasSuffix(remedy) == true, "\(found)")
    }

    /// The role and the database are those of the program's sessions.
    @Test("are what fave-admin doctor warns of, and fave-server at its start")
    func programs() async throws {
        let database = try TestDatabase()
        let session = try database.session()
        // The tests' cluster is started with all of them off.
        func alter(_ value: String) throws {
            try session.execute("ALTER DATABASE \(database.name) SET synchronous_commit = \(value)")
        }
        let commit = "synchronous_commit is off: "
        let remedy = "Run: ALTER DATABASE \(database.name) RESET synchronous_commit"
        for (value, isWarned) in [("off", true), ("on", false)] {
            try alter(value)
            let doctor = try await Program.admin.run(["doctor"], database: database)
            #expect(doctor.output.contains("note  durability: fsync is off: "))
            #expect(doctor.output.contains("note  durability: full_page_writes is off: "))
            #expect(doctor.output.contains("note  durability: \(commit)") == isWarned)
            #expect(doctor.output.contains(remedy) == isWarned)
            let server = try Program.server.start(
                database: database, environment: ["PORT": "0", "LOOPS": "1"])
            _ = try await server.waitForErrors(/listening on 127/)
            server.send(signal: SIGTERM)
            let outcome = try await server.end()
            #expect(outcome.errors.contains(commit) == isWarned, "\(outcome.errors)")
            #expect(outcome.errors.contains(remedy) == isWarned)
            #expect(outcome.errors.contains("fsync is off: "))
        }
    }
}

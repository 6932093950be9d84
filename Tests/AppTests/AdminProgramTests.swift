import Foundation
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import App

@Suite("fave-admin", .blocking)
struct AdminProgramTests {
    @Test(
        "explains each of its commands",
        arguments: [
            [], ["migrate"], ["seed-platforms"], ["seed-catalogue"], ["seed-demo"], ["recount"],
            ["token"], ["sql"], ["games"], ["games", "refresh"], ["doctor"], ["users"],
            ["rotate-keys"], ["maintenance-mode"],
        ])
    func help(command: [String]) async throws {
        let outcome = try await Program.admin.run(command + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE: fave-admin"))
        #expect(outcome.errors == "")
    }

    @Test("refuses commands and options that it does not know")
    func unknown() async throws {
        for arguments in [["destroy"], ["migrate", "--fast"], ["seed-demo", "--users", "0"]] {
            let outcome = try await Program.admin.run(arguments)
            #expect(outcome.status != 0)
            #expect(!outcome.errors.isEmpty)
        }
    }

    @Test("sets up a database step by step, and each step a second time changes nothing")
    func setUp() async throws {
        let database = try TestDatabase(.empty)
        let steps: [([String], String, Int)] = [
            (["migrate"], "applied", 0), (["seed-platforms"], "added", 220),
            (["seed-catalogue"], "added", 15_221), (["seed-demo", "--users", "50"], "users", 50),
            (["recount"], "differences", 0), (["recount", "--check"], "differences", 0),
        ]
        for (arguments, member, expected) in steps {
            let outcome = try await Program.admin.run(arguments + ["--json"], database: database)
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            let value = try outcome.object[member]
            if let number = value as? Int { #expect(number == expected, "\(arguments)") }
            if arguments == ["migrate"] { #expect((value as? [String])?.isEmpty == false) }
        }
        for (arguments, words) in [
            (["migrate"], "Nothing to do"), (["seed-platforms"], "Nothing to do"),
            (["seed-catalogue"], "Nothing to do"), (["recount"], "All counts are correct"),
            (["seed-demo", "--users", "50", "--if-empty"], "Nothing to do"),
            (["seed-platforms", "--if-empty"], "all 220 platforms are already in the database"),
            (["seed-catalogue", "--if-empty"], "all 15221 games are already in the database"),
            (["seed-demo", "--users", "50"], "50 were left out"),
        ] {
            let outcome = try await Program.admin.run(arguments, database: database)
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            #expect(outcome.output.contains(words), "\(arguments): \(outcome.output)")
        }
        let again = try await Program.admin.run(["seed-platforms", "--json"], database: database)
        #expect(try again.object["added"] as? Int == 0)
        #expect(try again.object["unchanged"] as? Int == 220)
        #expect(try database.session().query("SELECT count(*) FROM users")[0][0] == 50)
    }

    @Test("tells what isn't there from what is broken, also as JSON")
    func errors() async throws {
        let database = try TestDatabase(.migrated)
        for (arguments, database, status, kind) in [
            (["users", "show", "nobody"], database, 4, "not-found"),
            (["users", "rename", "nobody", "rob"], database, 4, "not-found"),
            (["token", "--user", "nobody"], database, 4, "not-found"),
            (["games", "mark", "71", "adult"], database, 4, "not-found"),
            (["reports", "dismiss", "71"], database, 4, "not-found"),
            (["users", "show", "nobody"], nil, 1, "failed"),
            (["migrate"], nil, 1, "failed"), (["ready"], database, 1, "failed"),
            (["users", "list", "--limit", "0"], database, 64, "usage"),
            (["games", "mark", "x", "adult"], database, 64, "usage"),
        ] as [([String], TestDatabase?, Int32, String)] {
            let outcome = try await Program.admin.run(
                arguments + ["--json"], database: database,
                environment: database == nil ? ["DATABASE_URL": "host=/nowhere"] : [:])
            #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
            #expect(outcome.output == "", "\(arguments)")
            let json = try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8))
            let error = (json as? [String: [String: String]])?["error"]
            #expect(error?["kind"] == kind, "\(arguments): \(outcome.errors)")
            #expect(error?["message"]?.isEmpty == false, "\(arguments)")
            let text = try await Program.admin.run(
                arguments, database: database,
                environment: database == nil ? ["DATABASE_URL": "host=/nowhere"] : [:])
            #expect(text.status == status && text.errors.hasPrefix("Error: "), "\(text.errors)")
        }
    }

    @Test("has null in JSON for what there is none of, and settings and readiness as JSON")
    func json() async throws {
        let database = try TestDatabase(.migrated)
        let session = try database.session()
        try session.execute(
            "INSERT INTO users (username, display_name, role) VALUES ('rob', 'Rob', 'admin')")
        for (arguments, members) in [
            (["users", "administrator-link", "--site", "https://fave.example"], ["link"]),
            (["users", "show", "rob"], ["disabledAt", "listUpdatedAt"]),
            (["maintenance-mode"], ["message", "begunAt"]),
        ] {
            let outcome = try await Program.admin.run(arguments + ["--json"], database: database)
            #expect(outcome.status == 0, "\(outcome.errors)")
            for member in members { #expect(try outcome.object[member] is NSNull, "\(member)") }
        }
        let listed = try await Program.admin.run(["settings", "--json"])
        let settings = try JSONSerialization.jsonObject(with: Data(listed.output.utf8))
        let names = (settings as? [[String: Any]])?.compactMap { $0["name"] as? String }
        #expect(names?.count == Settings.groups.flatMap(\.settings).count)
        let current = try await Program.admin.run(
            ["settings", "--current", "--json"],
            environment: ["PORT": "81", "DATABASE_URL": "postgresql://u:s3cret@h/d"])
        #expect(!current.output.contains("s3cret"))
        let given = try JSONSerialization.jsonObject(with: Data(current.output.utf8))
        let port = try #require(
            (given as? [[String: String]])?.first { $0["name"] == "PORT" })
        #expect(port == ["name": "PORT", "value": "81", "source": "the environment"])
    }

    @Test("does all other tasks of maintenance if one fails, and says so")
    func maintenance() async throws {
        let database = try TestDatabase(.migrated)
        try database.session().execute("ALTER TABLE sessions RENAME TO moved")
        let outcome = try await Program.admin.run(["maintain"], database: database)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("delete_sessions failed"))
        #expect(outcome.output == "")
        let done: Int = try database.session().query(
            "SELECT count(*) FROM maintenance WHERE succeeded_at IS NOT NULL")[0][0]
        #expect(done == MaintenanceTask.allCases.count - 1)
    }

    @Test("says which command comes first when something is missing")
    func wrongOrder() async throws {
        let empty = try TestDatabase(.empty)
        let migrated = try TestDatabase(.migrated)
        for (arguments, database, hint) in [
            (["seed-platforms"], empty, "fave-admin migrate"),
            (["recount"], empty, "fave-admin migrate"),
            (["token", "--user", "rob"], empty, "fave-admin migrate"),
            (["seed-catalogue"], migrated, "fave-admin seed-platforms"),
            (["seed-demo"], migrated, "fave-admin seed-catalogue"),
        ] {
            let outcome = try await Program.admin.run(arguments, database: database)
            #expect(outcome.status != 0, "\(arguments)")
            #expect(outcome.errors.contains(hint), "\(arguments): \(outcome.errors)")
            #expect(outcome.output == "", "\(arguments)")
        }
        #expect(try migrated.session().query("SELECT count(*) FROM games")[0][0] == 0)
    }

    @Test("finds a count that is wrong, and corrects it only when not just checking")
    func recount() async throws {
        let database = try TestDatabase()
        _ = try await Program.admin.run(["seed-demo", "--users", "20"], database: database)
        try database.session().execute("UPDATE included_by SET count = count + 1 WHERE count = 1")
        let check = try await Program.admin.run(["recount", "--check"], database: database)
        #expect(check.status == 1)
        #expect(check.output.contains("differed:"))
        let json = try await Program.admin.run(
            ["recount", "--check", "--json"], database: database)
        #expect(json.status == 1)
        #expect(try json.object["corrected"] as? Bool == false)
        let differences = try #require(try json.object["differences"] as? [[String: Any]])
        #expect(differences.first?["stored"] as? Int == 2)
        #expect(differences.first?["actual"] as? Int == 1)
        let correct = try await Program.admin.run(["recount"], database: database)
        #expect(correct.status == 0)
        #expect(correct.output.contains("differed; corrected:"))
        let after = try await Program.admin.run(["recount", "--check"], database: database)
        #expect(after.status == 0)
    }

    @Test("makes tokens for users that there are")
    func token() async throws {
        let database = try TestDatabase(.migrated)
        try database.session().execute(
            "INSERT INTO users (username, display_name) VALUES ('rob', 'Rob')")
        let token = try await Program.admin.run(["token", "--user", "Rob"], database: database)
        #expect(token.status == 0)
        #expect(token.output.wholeMatch(of: /[\w-]+\.[\w-]+\.[\w-]+\n/) != nil)
        let json = try await Program.admin.run(
            ["token", "--user", "rob", "--minutes", "5", "--json"], database: database)
        #expect(try json.object["expiresInSeconds"] as? Int == 300)
        for name in ["nobody", "", "not a name"] {
            let outcome = try await Program.admin.run(
                ["token", "--user", name], database: database)
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains("no user called"))
            #expect(outcome.output == "")
        }
        let long = try await Program.admin.run(
            ["token", "--user", "rob", "--minutes", "1441"], database: database)
        #expect(long.status != 0)
    }

    @Test("says what is the matter with a database that it cannot reach")
    func unreachable() async throws {
        for url in ["host=/nonexistent dbname=x", "host='open"] {
            let outcome = try await Program.admin.run(
                ["migrate"], environment: ["DATABASE_URL": url])
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains("DATABASE_URL"), "\(outcome.errors)")
        }
    }

    @Test("refuses a database that can't hold every letter, and says how to make one that can")
    func encoding() async throws {
        let database = try TestDatabase(.empty)
        let other = database.name + "_ascii"
        let session = try database.session()
        try session.execute(
            "CREATE DATABASE \(other) TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
        let url = database.url.replacing("dbname=\(database.name)", with: "dbname=\(other)")
        let outcome = try await Program.admin.run(
            ["migrate"], environment: ["DATABASE_URL": url])
        let doctor = try await Program.admin.run(["doctor"], environment: ["DATABASE_URL": url])
        try session.execute("DROP DATABASE \(other)")
        #expect(outcome.status == 1)
        let words = "The database \(other) has the encoding LATIN1, and must have UTF8."
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(outcome.errors.contains("--template template0"))
        #expect(doctor.status == 1 && doctor.output.contains(words), "\(doctor.output)")
    }

    @Test("connects with what a service file says, as libpq does")
    func service() async throws {
        let database = try TestDatabase(.empty)
        let parts = database.url.split(separator: " ").joined(separator: "\n")
        try await TemporaryFolder.with { folder in
            for (options, succeeds) in [("", true), ("options=-c search_path=nowhere\n", false)] {
                try folder.write("services", Data("[fave]\n\(parts)\n\(options)".utf8))
                let migrate = try await Program.admin.run(
                    ["migrate"],
                    environment: [
                        "DATABASE_URL": "service=fave",
                        "PGSERVICEFILE": folder.path + "/services",
                    ])
                #expect((migrate.status == 0) == succeeds, "\(migrate.errors)")
                try database.session().execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            }
        }
    }

    @Test("prints statements, and the ranking's for pgbench, too")
    func sql() async throws {
        for name in ["ranking", "past-ranks", "list"] {
            let plain = try await Program.admin.run(["sql", name])
            #expect(plain.output.contains("$1"))
        }
        let script = try await Program.admin.run(["sql", "ranking", "--pgbench"])
        #expect(script.output.contains("\\set platform"))
        #expect(!script.output.contains("$"))
        let list = try await Program.admin.run(["sql", "list", "--pgbench"])
        #expect(list.status != 0)
    }
}

import Foundation
import Postgres
import TestSupport
import Testing

@testable import App

@Suite("PostgreSQL's own programs", .blocking)
struct PostgresProgramTests {
    /// Folders with a program that says it is of a version.
    private func withFolders(
        _ versions: String..., body: (TemporaryFolder, [String]) throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let folders = versions.map { "\(folder.path)/\($0)" }
            for (path, version) in zip(folders, versions) {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: true)
                try folder.write(
                    "\(version)/pg_dump",
                    Data("#!/bin/sh\necho 'pg_dump (PostgreSQL) \(version)'\n".utf8))
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: path + "/pg_dump")
            }
            try body(folder, folders)
        }
    }

    @Test("are those of the oldest version that is not older than the server")
    func choice() async throws {
        try await withFolders("17.2", "9.6.24", "16.1 (Debian 16.1-1)", "18beta1") {
            folder, folders in
            let all = folders + ["/nonexistent"]
            for (server, version) in [(15, "16.1 (Debian 16.1-1)"), (17, "17.2"), (18, "18beta1")] {
                let program = try PostgresProgram("pg_dump", forServer: server, in: all)
                #expect(program.path == "\(folder.path)/\(version)/pg_dump")
            }
        }
    }

    @Test("are newer ones if those don't suit, and in the end the newest")
    func suitability() async throws {
        try await withFolders("17.2", "15.1", "16.1") { folder, folders in
            for (suitable, chosen) in [("16.1", "16.1"), ("none", "17.2")] {
                let program = try PostgresProgram("pg_dump", forServer: 15, in: folders) {
                    $0.path.contains(suitable)
                }
                #expect(program.path == "\(folder.path)/\(chosen)/pg_dump")
            }
        }
    }

    @Test("that are too old or missing are named, with the package to install")
    func missing() async throws {
        try await withFolders("15.4") { folder, folders in
            let old = #expect(throws: OperatorError.self) {
                try PostgresProgram("pg_dump", forServer: 17, in: folders)
            }
            let words = "\(folder.path)/15.4/pg_dump is of 15"
            #expect(old?.description.contains(words) == true, "\(old?.description ?? "")")
            #expect(old?.description.contains("postgresql-client-17") == true)
            let none = #expect(throws: OperatorError.self) {
                try PostgresProgram("pg_restore", forServer: 17, in: folders)
            }
            #expect(none?.description.contains("it is not installed") == true)
        }
    }

    @Test("have their errors told, without what they said before")
    func errors() async throws {
        try await withFolders("15.1") { folder, folders in
            let program = try PostgresProgram("pg_dump", forServer: 15, in: folders)
            try folder.write(
                "15.1/pg_dump",
                Data(
                    "#!/bin/sh\necho x: one >&2\nprintf 'x: error: two\\nthree\\n' >&2\nexit 1\n"
                        .utf8))
            var messages: [String] = []
            let error = #expect(throws: OperatorError.self) {
                try program.run([], message: { messages.append(String($0)) })
            }
            #expect(error?.description == "pg_dump failed: x: error: two\nthree")
            #expect(messages == ["x: one"])
        }
    }

    @Test("get the password where other people can't read it, and everything else as it is")
    func password() throws {
        let connection = try ClientConnection(
            connectionString: "postgresql://ada:s3cret@one,two:5433/site?sslmode=require",
            database: "other 'one'")
        #expect(!connection.connectionString.contains("s3cret"))
        #expect(connection.environment == ["PGPASSWORD": "s3cret"])
        for part in [
            "host='one,two'", "port=',5433'", "user='ada'", "sslmode='require'",
            "dbname='other \\'one\\''", "statement_timeout=0", "target_session_attrs='primary'",
        ] {
            #expect(connection.connectionString.contains(part), "\(connection.connectionString)")
        }
    }

    @Test("are not run if they would show a secret, or use another password")
    func secrets() async throws {
        let key = #expect(throws: PostgresError.self) {
            try ClientConnection(connectionString: "sslkey=x sslpassword=s3cret")
        }
        #expect(key?.debugDescription.contains("sslpassword only by a service file") == true)
        let database = try TestDatabase()
        try await TemporaryFolder.with { folder in
            try folder.write("services", Data("[site]\npassword=other\n[plain]\nport=5432\n".utf8))
            for (parameters, isRefused) in [
                ("service=site password=s3cret", true), ("service=site password=other", false),
                ("service=site", false), ("service=plain password=s3cret", false),
            ] {
                let outcome = try await Program.admin.run(
                    ["backup", "\(folder.path)/\(UUID().uuidString)"],
                    environment: [
                        "DATABASE_URL": "\(database.url) \(parameters)", "PGPASSWORD": "third",
                        "PGSERVICEFILE": folder.path + "/services",
                    ])
                let words = "The service file has another password than the connection string"
                #expect(outcome.status == (isRefused ? 1 : 0), "\(parameters): \(outcome.errors)")
                #expect(outcome.errors.contains(words) == isRefused, "\(outcome.errors)")
            }
        }
    }
}

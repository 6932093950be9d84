import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

@testable import App

@Suite("The admin listener", .blocking)
struct MonitoringProgramTests {
    private static let settings = [
        "PORT": "0", "LOOPS": "2", "ADMIN_LISTEN": "127.0.0.1:0",
    ]

    private struct Running {
        let program: RunningProgram
        let port: Int
        let adminPort: Int

        func get(
            _ target: String, _ fields: String = "", method: String = "GET", ofAdmin: Bool = false,
            host: String = "127.0.0.1"
        ) throws -> RawResponse {
            let connection = try RawConnection(port: ofAdmin ? adminPort : port)
            try connection.send(
                "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)Connection: close\r\n\r\n"
            )
            return try connection.readResponse(isHEAD: method == "HEAD")
        }

        func metrics() throws -> [String: Double] {
            let lines = try get("/metrics", ofAdmin: true).text.split(separator: "\n")
                .filter { !$0.hasPrefix("#") }
            return try Dictionary(
                uniqueKeysWithValues: lines.map { line in
                    let space = try #require(line.lastIndex(of: " "))
                    let value = try #require(Double(line[line.index(after: space)...]))
                    return (String(line[..<space]), value)
                })
        }
    }

    private static func start(
        _ database: TestDatabase, _ environment: [String: String] = [:]
    ) async throws -> Running {
        let program = try Program.server.start(
            database: database, environment: settings.merging(environment) { $1 })
        let port = try await program.waitForErrors(/listening on 127\.0\.0\.1:(\d+)/).1
        let adminPort = try await program.waitForErrors(/monitors on 127\.0\.0\.1:(\d+)/).1
        return Running(
            program: program, port: try #require(Int(port)),
            adminPort: try #require(Int(adminPort)))
    }

    @Test("shows metrics of requests, PostgreSQL, memory and the process, each with help")
    func metrics() async throws {
        let database = try TestDatabase()
        let server = try await Self.start(database)
        for _ in 0..<3 { #expect(try server.get("/platforms/win").status == 200) }
        #expect(try server.get("/nowhere").status == 404)
        #expect(try server.get("/platforms/win", method: "BREW").status == 501)
        let text = try server.get("/metrics", ofAdmin: true)
        #expect(text["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        let families = text.text.matches(of: /# TYPE (\S+)/).map { String($0.1) }
        #expect(Set(families).isSubset(of: ServerMetrics.names.map(\.exposedName)))
        // What promtool check metrics would complain of.
        for name in ServerMetrics.names where name.kind != .histogram {
            let suffix = name.exposedName.firstMatch(of: /_(count|sum|bucket|total)$/)?.1
            #expect(suffix == (name.kind == .counter ? "total" : nil), "\(name.exposedName)")
        }
        let metrics = try server.metrics()
        let requests = "http_server_request_duration_seconds_count"
        let route = "http_route=\"/platforms/{platform}\""
        #expect(
            metrics[
                "\(requests){http_request_method=\"GET\",http_response_status_class=\"2xx\",\(route)}"
            ] == 3)
        #expect(
            metrics["\(requests){http_request_method=\"GET\",http_response_status_class=\"4xx\"}"]
                == 1)
        #expect(
            metrics.contains {
                $0.key.hasPrefix("\(requests){http_request_method=\"_OTHER\"") && $0.value == 1
            })
        #expect(
            metrics.contains {
                $0.key.hasPrefix("db_client_operation_duration_seconds_count{db_operation_name=")
                    && $0.value > 0
            })
        let names = Set(metrics.keys.map { $0.prefix { $0 != "{" } })
        for name in [
            "http_server_active_requests", "http_server_open_connections",
            "http_server_io_bytes_total", "db_client_connections",
            "db_client_connection_max", "db_client_connection_pending_requests",
            "eventloop_turn_duration_seconds_count", "fave_cache_lookups_total",
            "fave_cache_size_bytes", "fave_worker_waiting_jobs", "process_cpu_seconds_total",
            "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds",
            "fave_build_info",
        ] {
            #expect(names.contains(Substring(name)), "\(name)")
        }
        #expect(metrics["db_client_connection_max"] == 10)
        // Otherwise the first ones would be no increase.
        #expect(metrics["http_server_refusals_total{reason=\"overloaded\"}"] == 0)
        #expect(metrics["http_server_refusals_total{reason=\"too_many_connections\"}"] == 0)
        for name in names {
            let family = name.replacing(/_(bucket|sum|count)$/, with: "")
            #expect(
                text.text.contains("# HELP \(family) ") || text.text.contains("# HELP \(name) "),
                "\(name)")
        }
        try await Self.end(server)
    }

    @Test("has names that fit what they name")
    func names() {
        let kinds = ["_count", "_sum", "_bucket", "_info", "_total"]
        let abbreviations: Set = ["s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "m", "h"]
        for name in ServerMetrics.names {
            let exposed = name.exposedName
            let kind = kinds.first { exposed.hasSuffix($0) }
            let expected =
                switch name.kind {
                case .counter: "_total"
                case _ where exposed == "fave_build_info": "_info"
                default: ""
                }
            #expect(kind ?? "" == expected, "\(exposed)")
            let words = exposed.split(separator: "_").map(String.init)
            #expect(abbreviations.isDisjoint(with: words), "\(exposed)")
            #expect(!name.help.isEmpty)
        }
        #expect(Set(ServerMetrics.names.map(\.exposedName)).count == ServerMetrics.names.count)
    }

    @Test("tells of mail that the mail server doesn't take, and when certificates end")
    func mailAndCertificates() async throws {
        let database = try TestDatabase()
        let nobody = try UnusedPort()
        let certificate = TestCertificate.shared
        let environment = [
            "SMTP_URL": "smtp://127.0.0.1:\(nobody.number)?tls=off",
            "SMTP_FROM": "games@fave.example",
        ]
        let server = try await Self.start(
            database,
            environment.merging([
                "TLS_CERTIFICATE_FILE": certificate.certificatePath,
                "TLS_KEY_FILE": certificate.keyPath,
            ]) { $1 })
        let attempts = "fave_mail_attempts_total"
        let before = try server.metrics()
        #expect(before["\(attempts){result=\"accepted\"}"] == 0)
        #expect(before["\(attempts){result=\"failed\"}"] == 0)
        let ends = before.filter { $0.key.hasPrefix("fave_certificate_expiry_timestamp_seconds{") }
        #expect(ends.count == 1)
        #expect(ends.values.allSatisfy { $0 > Date().timeIntervalSince1970 })
        let session = try database.session()
        try session.execute(
            """
            INSERT INTO outgoing_mail (kind, subject, made_at)
            VALUES ('deleted', 'rob@mail.example', now() - interval '20 minutes')
            """)
        try await eventually("the mail is tried, and stays") {
            let metrics = try server.metrics()
            return metrics["\(attempts){result=\"failed\"}"] == 1
                && metrics["fave_mail_waiting"] == 1
                && metrics["fave_mail_oldest_wait_seconds", default: 0] >= 1200
        }
        #expect(try server.metrics()["\(attempts){result=\"accepted\"}"] == 0)
        for (program, arguments) in [(Program.server, ["--check"]), (Program.admin, ["doctor"])] {
            let outcome = try await program.run(
                arguments, database: database, environment: environment)
            #expect(outcome.status == 1)
            #expect(
                outcome.output.contains(
                    "BAD   mail: smtp://127.0.0.1:\(nobody.number)?tls=off: The mail server cannot be"
                ))
            #expect(outcome.output.contains("BAD   waiting mail: 1, the oldest for 20 minutes"))
        }
        let test = try await Program.admin.run(
            ["mail", "test", "rob@mail.example"], environment: environment)
        #expect(test.status == 1)
        #expect(test.errors.contains("The mail server cannot be reached."))
        try await Self.end(server)
    }

    @Test("is beside a command that tries the mail server out", .thorough)
    func mailTest() async throws {
        let mail = try MailServer()
        let environment = [
            "SMTP_URL": "smtp://127.0.0.1:\(mail.port)?tls=off",
            "SMTP_FROM": "Games <games@fave.example>", "PUBLIC_URL": "https://fave.example",
        ]
        let test = try await Program.admin.run(
            ["mail", "test", "rob@mail.example"], environment: environment)
        #expect(test.status == 0, "\(test.errors)")
        #expect(test.output.hasSuffix("has accepted the mail to rob@mail.example.\n"))
        #expect(mail.messages.elements.map(\.recipients) == [["rob@mail.example"]])
        #expect(mail.messages.elements.first?.text.contains("https://fave.example") == true)
        let database = try TestDatabase()
        let check = try await Program.server.run(
            ["--check"], database: database, environment: environment)
        #expect(check.output.contains("ok    mail: smtp://127.0.0.1:\(mail.port)?tls=off responds"))
        #expect(check.output.contains("ok    waiting mail: 0"))
        // Trying to connect sends nothing.
        #expect(mail.messages.count == 1)
        for (arguments, changes, words) in [
            (["rob"], [:], "is not an email address"),
            (["rob@mail.example"], ["SMTP_URL": "", "SMTP_FROM": ""], "SMTP_URL is not set"),
        ] {
            let refused = try await Program.admin.run(
                ["mail", "test"] + arguments, environment: environment.merging(changes) { $1 })
            #expect(refused.status != 0)
            #expect(refused.errors.contains(words))
        }
    }

    @Test("says whether the server lives and is ready, and what is missing")
    func ready() async throws {
        let database = try TestDatabase()
        let server = try await Self.start(database, ["SHUTDOWN_DELAY_SECONDS": "2", "LOOPS": "1"])
        #expect(try server.get("/live", ofAdmin: true).status == 200)
        #expect(try server.get("/ready", ofAdmin: true).text == "ready\n")
        #expect(try server.get("/health").text == "ok\n")
        // The database of an older version, as after a restore.
        let session = try database.session()
        try session.execute("BEGIN; DELETE FROM schema_migrations WHERE version > 5; COMMIT")
        try await eventually("the server notices") {
            try server.get("/ready", ofAdmin: true).status == 503
        }
        let old = try server.get("/ready", ofAdmin: true)
        #expect(old.text.contains("has the schema of migration 5, and this server needs"))
        #expect(try server.get("/live", ofAdmin: true).status == 200)
        #expect(try server.get("/health").status == 503)
        server.program.send(signal: SIGTERM)
        _ = try await server.program.waitForErrors(/stopping in/)
        #expect(try server.get("/ready", ofAdmin: true).text == "stopping\n")
        #expect(try server.get("/health").text == "stopping\n")
        #expect(try await server.program.end().status == 0)
    }

    @Test("responds only to those who ask this machine by its own names, and only what it has")
    func refuses() async throws {
        let database = try TestDatabase()
        let server = try await Self.start(database)
        for host in ["localhost", "127.0.0.1:1", "[::1]:9180", "LOCALHOST:80"] {
            #expect(try server.get("/live", ofAdmin: true, host: host).status == 200, "\(host)")
        }
        for host in ["evil.example", "localhost.evil.example", "10.0.0.1"] {
            #expect(try server.get("/metrics", ofAdmin: true, host: host).status == 421, "\(host)")
        }
        #expect(try server.get("/", ofAdmin: true).status == 404)
        #expect(try server.get("/metrics", method: "POST", ofAdmin: true).status == 405)
        // Not on the public listener.
        #expect(try server.get("/metrics").status == 404)
        #expect(try server.get("/live").status == 404)
        try await Self.end(server)
    }

    @Test("refuses what is no address, warns of a network's, and takes a unix-domain socket")
    func addresses() async throws {
        let database = try TestDatabase()
        for address in ["example.org:80", "9180", ":9180", "10.0.0.300:1"] {
            let outcome = try await Program.server.run(
                database: database, environment: ["ADMIN_LISTEN": address])
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains("ADMIN_LISTEN is \"\(address)\"; it must be"))
        }
        let open = ["ADMIN_LISTEN": "0.0.0.0:0"]
        let shared = try await Program.server.run(
            ["--check"], database: database, environment: open)
        let warning = "everyone who can reach 0.0.0.0:0 can read the metrics"
        #expect(shared.output.contains("note  settings: \(warning)"))
        let network = try Program.server.start(
            database: database,
            environment: ["PORT": "0", "LOOPS": "1"].merging(open) { $1 })
        let port = try await network.waitForErrors(/monitors on 0\.0\.0\.0:(\d+)/).1
        #expect(try network.errors.contains("warning: \(warning)"))
        // By whatever name it has in that network.
        let container = try RawConnection(port: try #require(Int(port)))
        try container.send(
            "GET /ready HTTP/1.1\r\nHost: fave:9180\r\nConnection: close\r\n\r\n")
        #expect(try container.readResponse().status == 200)
        network.send(signal: SIGTERM)
        #expect(try await network.end().status == 0)
        try await TemporaryFolder.with { folder in
            let path = folder.path + "/admin.sock"
            let program = try Program.server.start(
                database: database,
                environment: ["PORT": "0", "LOOPS": "1", "ADMIN_LISTEN": "unix:\(path)"])
            _ = try await program.waitForErrors(/monitors on/)
            let connection = try RawConnection(path: path)
            try connection.send("GET /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try connection.readResponse().status == 200)
            let variables = ["ADMIN_LISTEN": "unix:\(path)"]
            let ready = try await Program.admin.run(["ready"], environment: variables)
            #expect(ready.status == 0 && ready.output == "ready\n")
            program.send(signal: SIGTERM)
            #expect(try await program.end().status == 0)
            let gone = try await Program.admin.run(["ready"], environment: variables)
            #expect(gone.status == 1 && gone.errors.contains("No response from unix:\(path)"))
        }
    }

    @Test("is beside an access log in the combined format, without queries")
    func accessLog() async throws {
        let database = try TestDatabase()
        let server = try await Self.start(database, ["ACCESS_LOG": "on"])
        let fields = """
            User-Agent: a "quoted" \\ agent\r\nReferer: https://else.example/search?q=secret\r\n
            """
        for target in ["/ping", "/health"] { #expect(try server.get(target).status == 200) }
        #expect(try server.get("/games?search=secret", fields).status == 200)
        let line = try await server.program.waitForErrors(/.*GET \/games HTTP.*/)
        let expected =
            #/127\.0\.0\.1 - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET /games HTTP/1\.1" 200 \d+ "https://else\.example/search" "a \\x22quoted\\x22 \\x5C agent" [0-9a-f-]{36}/#
        #expect(line.wholeMatch(of: expected) != nil, "\(line)")
        #expect(try !server.program.errors.contains("secret"))
        // Load balancers ask every second.
        #expect(try !server.program.errors.contains("/ping"))
        #expect(try !server.program.errors.contains("/health"))
        try await Self.end(server)
    }

    @Test("is beside an access log in JSON")
    func accessLogAsJSON() async throws {
        let database = try TestDatabase()
        let server = try await Self.start(
            database, ["ACCESS_LOG": "on", "LOG_FORMAT": "json", "TRUSTED_PROXIES": "127.0.0.1"])
        let id = "0123456789abcdef0123456789abcdef"
        let fields = "X-Request-ID: \(id)\r\nX-Forwarded-For: 192.0.2.7\r\n"
        #expect(try server.get("/platforms/win?page=2", fields, method: "HEAD").status < 500)
        let line = try await server.program.waitForErrors(/.*"HEAD .*/)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["client"] as? String == "192.0.2.7")
        #expect(object["method"] as? String == "HEAD")
        #expect(object["path"] as? String == "/platforms/win")
        #expect(object["route"] as? String == "/platforms/{platform}")
        #expect(object["bytes"] as? Int == 0)
        #expect(object["status"] as? Int != nil)
        #expect(object["microseconds"] as? Int != nil)
        #expect(object["request"] as? String == id)
        try await Self.end(server)
    }

    @Test("is beside warnings of slow statements and requests, by their names")
    func slow() async throws {
        let database = try TestDatabase()
        let server = try await Self.start(
            database, ["SLOW_REQUEST_SECONDS": "0.001", "SLOW_STATEMENT_SECONDS": "0.001"])
        let session = try database.session()
        try session.execute("BEGIN; LOCK TABLE platforms")
        let connection = try RawConnection(port: server.port)
        try connection.send("GET /api/v1/platforms?search=win HTTP/1.1\r\nHost: x\r\n\r\n")
        // Only once the statement waits for the lock has it been slow for sure.
        let observer = try database.session()
        try await eventually("the statement waits") {
            let count: Int = try observer.query(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """)[0][0]
            return count > 0
        }
        try await Task.sleep(for: .milliseconds(20))
        try session.execute("COMMIT")
        #expect(try connection.readResponse().status == 200)
        _ = try await server.program.waitForErrors(/slow statement: [a-z_]+ took \d+ ms/)
        let line = try await server.program.waitForErrors(/slow request: .*/)
        #expect(line.contains("GET /api/v1/platforms took"))
        #expect(!line.contains("search"))
        try await Self.end(server)
    }

    @Test(
        "has the metrics that the dashboard and the alerts use",
        arguments: ["grafana.json", "alerts.yml"])
    func contributions(file: String) throws {
        let text = try String(
            contentsOfFile: TestDatabase.repository + "/contrib/" + file, encoding: .utf8)
        let used = Set(
            text.matches(of: /\b(?:http|db|fave|process|eventloop)_[a-z_]+[a-z](?=[\{\[ )<,])/)
                .map { String($0.output) })
        let labels: Set<String> = ["http_response_status_class", "http_route", "db_operation_name"]
        let names = Set(ServerMetrics.names.map(\.exposedName))
        #expect(used.count > 8)
        for name in used.subtracting(labels) {
            let family = name.replacing(/_(bucket|sum|count)$/, with: "")
            #expect(names.contains(family) || names.contains(name), "\(name)")
        }
    }

    private static func end(_ server: Running) async throws {
        server.program.send(signal: SIGTERM)
        #expect(try await server.program.end().status == 0)
    }
}

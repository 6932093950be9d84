import App
import Foundation
import Identity
import Logging
import Postgres
import Storage
import StorageWrites

/// The whole server in the test's process, on a free port, with a database of its own.
public final class TestServer: Sendable {
    public let database: TestDatabase
    public let port: Int
    /// Where monitors are served; 0 if nowhere.
    public let adminPort: Int
    private let service: ServerService

    /// - Parameters:
    ///   - settings: Environment variables that override those of a test.
    ///   - log: Gets all that the server says, each request among it.
    public convenience init(
        _ contents: TestDatabase.Contents = .seeded, settings: [String: String] = [:],
        log: Recorder<String>? = nil
    ) async throws {
        try await self.init(on: TestDatabase(contents), settings: settings, log: log)
    }

    /// Another process, as it were, on the database of a server.
    public static func beside(
        _ other: TestServer, settings: [String: String] = [:]
    ) async throws -> TestServer {
        try await on(other.database, settings: settings)
    }

    public static func on(
        _ database: TestDatabase, settings: [String: String] = [:]
    ) async throws -> TestServer {
        try await TestServer(on: database, settings: settings)
    }

    private init(
        on database: TestDatabase, settings: [String: String], log: Recorder<String>? = nil
    ) async throws {
        self.database = database
        var environment = [
            "DATABASE_URL": database.url, "HOST": "127.0.0.1", "PORT": "0",
            "PUBLIC_URL": "https://fave.example", "LOOPS": "2", "DATABASE_CONNECTIONS": "2",
            // The machine may be busy.
            "STATEMENT_TIMEOUT_SECONDS": "120", "DATABASE_WAIT_SECONDS": "60",
            // A hash of a millisecond: tests are about what is done with it.
            "PASSWORD_COST": "4", "PASSWORD_HASHERS": "1", "NEW_LIST_DELAY_HOURS": "0",
            // All tests come from one address.
            "API_READS_PER_MINUTE": "0", "API_WRITES_PER_MINUTE": "0", "PAGES_PER_MINUTE": "0",
        ]
        environment.merge(settings) { $1 }
        service = try await ServerService(
            ServerSettings(SettingsReader(environment: environment)),
            migrations: TestDatabase.migrations.get(),
            logger: Logger(label: "test") { _ in
                if let log { RecordingLogHandler(lines: log) } else { SwiftLogNoOpLogHandler() }
            })
        port = service.addresses.first?.port ?? 0
        adminPort = service.adminAddresses.first?.port ?? 0
    }

    public func stop() async { await service.stop() }

    /// Starts a server, runs `body` with it, and stops it.
    public static func run<Result>(
        _ contents: TestDatabase.Contents = .seeded, settings: [String: String] = [:],
        log: Recorder<String>? = nil, _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        try await run(on: TestDatabase(contents), settings: settings, log: log, body)
    }

    public static func run<Result>(
        on database: TestDatabase, settings: [String: String] = [:],
        log: Recorder<String>? = nil, _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let server = try await TestServer(on: database, settings: settings, log: log)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Makes a user, and a token that speaks for them.
    public func makeUser(_ username: String) async throws -> String {
        let session = try database.session()
        try session.query(
            "INSERT INTO users (username, display_name, shows_ratings) VALUES ($1, $1, true)",
            [.text(username)])
        return try await token(of: username)
    }

    /// An access token of a user who is there. It doesn't expire while tests run.
    public func token(of username: String) async throws -> String {
        let session = try database.session()
        let id: UUID = try session.query(
            "SELECT id FROM users WHERE username = $1", [.text(username)])[0][0]
        let stored = try StoredSigningKey.loadOrMake(session, candidate: SigningKey.make())
        guard let key = stored.first.flatMap(SigningKey.init) else {
            throw TestFailure("no signing key")
        }
        return try await key.token(for: id, lifetime: .seconds(86_400))
    }

    /// Sends one request on a connection of its own.
    public func send(
        _ method: String = "GET", _ target: String, token: String? = nil,
        fields: [(String, String)] = [], json: String? = nil, type: String = "application/json"
    ) throws -> RawResponse {
        let connection = try RawConnection(port: port)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: fave.example\r\nConnection: close\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if let json {
            head += "Content-Type: \(type)\r\nContent-Length: \(json.utf8.count)\r\n"
        }
        try connection.send(head + "\r\n" + (json ?? ""))
        return try connection.readResponse(isHEAD: method == "HEAD")
    }
}

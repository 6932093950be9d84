import Glibc
import TestSupport
import Testing

@testable import Postgres

/// A socket that takes connections, or leaves them to the kernel, and never says a word.
private final class SilentServer: Sendable {
    let port: Int
    private let descriptor: Int32

    init() throws {
        descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) | listen(descriptor, 16)
                    | getsockname(descriptor, $0, &length)
            }
        }
        guard status == 0 else { throw TestFailure("no port for a silent server") }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// Waits for a connection, which the kernel has made.
    func isConnected() async throws {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try await eventually("a connection") { poll(&waiting, 1, 0) == 1 }
    }
}

@Suite("Several hosts", .blocking)
struct HostsTests {
    private let schema: TestSchema
    /// The folder of the cluster's socket, and what comes behind it in the address.
    private let folder: String
    private let rest: String

    init() throws {
        schema = try TestSchema()
        let parts = schema.url.split(separator: " ", maxSplits: 1)
        folder = String(parts[0].dropFirst("host=".count))
        rest = String(parts[1])
    }

    @Test(
        "are tried in turn, whatever is the matter with the first",
        arguments: [
            "no-such-host.invalid", "/nonexistent", "127.0.0.1", "::1", "localhost",
            "127.0.0.1,::1",
        ])
    func refusing(hosts: String) async throws {
        let ports = hosts.split(separator: ",").map { _ in "1" }.joined(separator: ",")
        let url = "host=\(hosts),\(folder) port=\(ports),5432 \(rest)"
        let clock = TestClock()
        try await withPool(url, connections: 1, clock: clock) { pool in
            // Past the time that a name server has.
            await clock.advance(by: .seconds(2), on: pool.loop)
            let one: Int = try await pool.query(.read("SELECT 1"))[0][0]
            #expect(one == 1)
        }
    }

    @Test("have a time limit each, and one that was silent is tried last from then on")
    func silent() async throws {
        let silent = try [SilentServer(), SilentServer()]
        let ports = silent.map { "\($0.port)" }.joined(separator: ",")
        let url = "host=127.0.0.1,127.0.0.1,\(folder) port=\(ports),5432 \(rest)"
        let clock = TestClock()
        try await withPool(url, connections: 1, clock: clock) {
            $0.connectTimeout = .seconds(3)
        } _: { [schema] pool in
            for server in silent {
                try await server.isConnected()
                await clock.advance(by: .milliseconds(2999), on: pool.loop)
                #expect(pool.statistics.connects == 0)
                await clock.advance(by: .milliseconds(1), on: pool.loop)
            }
            let process: Int = try await pool.query(.read("SELECT pg_backend_pid()"))[0][0]
            // Again, without their time.
            try schema.terminate(process)
            try await eventually("the loss") { pool.statistics.losses == 1 }
            await clock.advance(by: .seconds(1), on: pool.loop)
            let one: Int = try await pool.query(.read("SELECT 1"))[0][0]
            #expect(one == 1)
            withExtendedLifetime(silent) {}
        }
    }

    @Test("are accepted only if target_session_attrs is met")
    func targetSessionAttributes() async throws {
        // A user whose transactions are read-only by a setting stands for a standby.
        let readOnly = try TestSchema()
        try readOnly.session().execute(
            "ALTER ROLE CURRENT_USER SET default_transaction_read_only = on")
        let url = readOnly.url
        try await withPool(url + " target_session_attrs=read-only", connections: 1) { pool in
            _ = try await pool.query(.read("SELECT 1"))
        }
        try await withPool(url + " target_session_attrs=read-write", connections: 1) { pool in
            try await pool.goesOut()
            let code = await code { _ = try await pool.query(.read("SELECT 1")) }
            #expect(code == .unavailable)
        }
        try await withPool(url + " target_session_attrs=prefer-standby", connections: 1) { pool in
            _ = try await pool.query(.read("SELECT 1"))
        }
    }

    @Test("must come with as many ports, or one, and libpq says so")
    func mismatch() async throws {
        try await withPool("host=a,b port=1,2,3 dbname=x", connections: 1) { pool in
            let error = await postgresError { _ = try await pool.query(.read("SELECT 1")) }
            #expect(error?.code == .unavailable)
            #expect(error?.debugDescription.contains("3 port numbers to 2 hosts") == true)
        }
    }

    @Test("are read from the connection string as libpq reads them")
    func parsing() throws {
        func hosts(_ url: String) throws -> [String]? {
            try ConnectionParameters(
                PostgresConfiguration(connectionString: url), applicationName: "test"
            ).hosts?.map { "\($0.name)|\($0.address)|\($0.port)" }
        }
        #expect(
            try hosts("postgresql://u@one:5433,two,[::1]:5434/d") == [
                "one||5433", "two||", "::1||5434",
            ])
        #expect(try hosts("host=one,two port=7") == ["one||7", "two||7"])
        #expect(try hosts("hostaddr=10.0.0.1,::2 port=7") == ["|10.0.0.1|7", "|::2|7"])
        #expect(try hosts("host=one hostaddr=10.0.0.1") == ["one|10.0.0.1|"])
        #expect(try hosts("host=one,two hostaddr=10.0.0.1") == nil)
    }
}

@Suite("A PostgreSQL that hangs", .blocking)
struct HangingServerTests {
    @Test("is noticed, fails what was asked, refuses at once from then on, and is taken back")
    func frozen() async throws {
        let cluster = try TestCluster()
        defer { withExtendedLifetime(cluster) {} }
        let clock = TestClock(isRunning: true)
        try await withPool(cluster.url("postgres"), connections: 3, clock: clock) { pool in
            _ = try await pool.query(.write("CREATE TABLE t (x integer)"))
            // Until each lane has a connection of its own.
            try await eventually {
                let processes = try await withThrowingTaskGroup(of: Int.self) { group in
                    for effect in [Statement.Effect.read, .longRead, .write] {
                        group.addTask {
                            let process = Statement(
                                "\(effect)", effect, "SELECT pg_backend_pid() FROM pg_sleep(0.05)")
                            return try await pool.query(process)[0][0]
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                return processes.count == 3
            }
            try cluster.freeze()
            async let read = code { _ = try await pool.query(.read("SELECT 1")) }
            async let write = code { _ = try await pool.query(.write("INSERT INTO t VALUES (1)")) }
            await clock.advance(by: .zero, on: pool.loop)
            await clock.advance(by: .seconds(4000), on: pool.loop)
            let lost = [await read, await write]
            #expect(lost == [.connectionLost, .outcomeUnknown])
            // From here on no query is sent to a connection that idled: none loses its response.
            async let waiting = code { _ = try await pool.query(.read("SELECT 1")) }
            try await eventually("the outage") {
                await clock.advance(by: .seconds(4000), on: pool.loop)
                return pool.outage != nil
            }
            #expect([.unavailable, .acquisitionTimeout].contains(await waiting))
            // At once, instead of after an hour.
            #expect(await code { _ = try await pool.query(.read("SELECT 1")) } == .unavailable)
            try cluster.resume()
            try await eventually("its return") {
                await code { _ = try await pool.query(.write("INSERT INTO t VALUES (2)")) } == nil
            }
        }
    }
}

@Suite("A standby", .blocking, .thorough)
struct StandbyTests {
    @Test("is no primary: the next host is tried, and it is left as soon as it refuses a write")
    func refused() async throws {
        let primary = try TestCluster()
        let standby = try primary.makeStandby()
        let both = TestCluster.url("postgres", of: [standby, primary])
        try await withPool(both) { pool in
            for _ in 0..<4 {
                let isStandby: Bool = try await pool.query(.read("SELECT pg_is_in_recovery()"))[0][
                    0]
                #expect(!isStandby)
            }
        }
        try await withPool(standby.url("postgres"), connections: 1) { pool in
            try await pool.goesOut()
            #expect(await code { _ = try await pool.query(.read("SELECT 1")) } == .unavailable)
        }
        // The operator's own choice counts. A refused write was not made.
        try await withPool(both + " target_session_attrs=any", connections: 1) { pool in
            let process = Statement.read("SELECT pg_backend_pid()")
            let first: Int = try await pool.query(process)[0][0]
            let error = await postgresError {
                _ = try await pool.query(.write("CREATE TABLE t (x integer)"))
            }
            #expect(error?.isTransient == true)
            var second = first
            try await eventually("another connection") {
                guard let rows = try? await pool.query(process) else { return false }
                second = try rows[0][0]
                return second != first
            }
        }
    }
}

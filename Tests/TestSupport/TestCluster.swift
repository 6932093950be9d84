import Foundation
import Postgres
import Synchronization

/// A PostgreSQL cluster of the test process's own: in a temporary folder, on a unix-domain socket
/// only, gone when the process is, however it ends. The folder is in memory if there is room.
public final class TestCluster: Sendable {
    /// Started when the first test asks for it.
    public static let shared: TestCluster = {
        do {
            return try TestCluster()
        } catch {
            fatalError("no PostgreSQL for the tests: \(error)")
        }
    }()

    let folder: String
    private let programs: String
    /// The shell that looks after the cluster ends it when this pipe closes.
    private let leash: Pipe
    private let counter = Mutex(0)
    private let administrators = IdleSessions()

    /// Makes and starts a cluster.
    public convenience init() throws { try self.init(copying: nil) }

    /// - Parameter primary: The cluster that a standby is copied from, and follows.
    init(copying primary: TestCluster?) throws {
        programs = try Self.run("/bin/sh", ["-c", "pg_config --bindir"])
        folder = try Self.run("/bin/sh", ["-c", Self.folderScript])
        leash = Pipe.unshared()
        let keeper = Process()
        keeper.executableURL = URL(fileURLWithPath: "/bin/sh")
        keeper.arguments = [
            "-c", Self.keeperScript, "keeper", folder, programs, Self.options,
            primary?.folder ?? "",
        ]
        keeper.standardInput = leash
        let ready = Pipe.unshared()
        keeper.standardOutput = ready
        try keeper.start()
        let line = ready.fileHandleForReading.availableData
        guard String(decoding: line, as: UTF8.self).hasPrefix("ready") else {
            let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
            throw TestFailure("the cluster did not start: \(log)")
        }
    }

    /// A database is some hundred files, which take far longer to make on a disk.
    private static let folderScript = """
        parent=/tmp
        if [ -w /dev/shm ] && [ "$(df --output=avail -k /dev/shm | tail -n 1)" -gt 2000000 ]; then
            parent=/dev/shm
        fi
        mktemp -d $parent/fave-test.XXXXXX
        """

    /// What PostgreSQL is started with. Nothing that a test has written needs to outlive a crash of
    /// the machine, and nothing happens in the background at a time of its own.
    private static let options = """
        -c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
        -c max_connections=400 -c shared_buffers=128MB -c autovacuum=off \
        -c checkpoint_timeout=1h -c max_wal_size=4GB
        """

    /// As root, PostgreSQL runs as `postgres` or `nobody`: it refuses to run as root.
    private static let keeperScript = """
        set -e
        folder=$1 programs=$2 options=$3 primary=$4
        as() { "$@"; }
        if [ "$(id -u)" = 0 ]; then
            owner=postgres; id postgres >/dev/null 2>&1 || owner=nobody
            chown "$owner" "$folder"
            as() { setpriv --reuid "$owner" --regid "$(id -g "$owner")" --clear-groups -- "$@"; }
        fi
        cd "$folder"
        if [ -n "$primary" ]; then
            as "$programs/pg_basebackup" -D "$folder/data" -h "$primary" -U fave --no-sync \\
                --checkpoint=fast --wal-method=stream --write-recovery-conf >"$folder/log" 2>&1
        else
            as "$programs/initdb" -D "$folder/data" -U fave -A trust -E UTF8 --locale=C.UTF-8 \\
                --no-sync >"$folder/log" 2>&1
        fi
        as "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/server.log" \\
            -o "-k $folder $options" start >>"$folder/log" 2>&1
        echo ready
        trap '' INT TERM
        cat >/dev/null || true
        as "$programs/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1 || true
        rm -rf "$folder"
        """

    /// The address of a database of this cluster, as libpq takes it.
    public func url(_ database: String) -> String {
        "host=\(folder) user=fave dbname=\(database)"
    }

    /// Runs a statement about databases.
    func administer(_ sql: String) throws {
        try administrators.session(to: url("postgres")).execute(sql)
    }

    /// Stops PostgreSQL at once, as a power cut would, or starts it again.
    public func stop() throws { try control(["-m", "immediate", "stop"]) }

    public func start() throws {
        try control(["-l", "\(folder)/server.log", "-o", "-k \(folder) \(Self.options)", "start"])
    }

    /// Stops every process of the cluster where it is, as a machine that hangs would, until
    /// `resume()`: connections are taken by the kernel, and nothing responds.
    public func freeze() throws { try signal("STOP") }

    public func resume() throws { try signal("CONT") }

    private func signal(_ name: String) throws {
        // The postmaster first: it would make new processes, or wonder about the others.
        let script = """
            main=$(head -1 '\(folder)/data/postmaster.pid')
            kill -\(name) "$main" $(cat /proc/"$main"/task/*/children)
            """
        guard runScript(script) else { throw TestFailure("kill -\(name) failed") }
    }

    private func control(_ arguments: [String]) throws {
        let quoted = (["\(programs)/pg_ctl", "-D", "\(folder)/data", "-w"] + arguments)
            .map(\.quotedForShell).joined(separator: " ")
        let script = """
            owner=$(stat -c %u '\(folder)/data')
            if [ "$(id -u)" = 0 ]; then
                exec setpriv --reuid "$owner" --regid "$(stat -c %g '\(folder)/data')" \
                    --clear-groups -- \(quoted) >/dev/null 2>&1 </dev/null
            fi
            exec \(quoted) >/dev/null 2>&1 </dev/null
            """
        guard runScript("cd '\(folder)'; " + script) else {
            throw TestFailure("pg_ctl \(arguments) failed")
        }
    }

    /// What PostgreSQL has logged after the last line that contains a text, at most 40 lines.
    public func log(after text: String) -> String {
        let log = (try? String(contentsOfFile: folder + "/server.log", encoding: .utf8)) ?? ""
        guard let found = log.range(of: text, options: .backwards) else { return "" }
        return log[found.lowerBound...].split(separator: "\n").prefix(40).joined(separator: "\n")
    }

    /// A number that no other caller gets.
    func nextNumber() -> Int {
        counter.withLock { number in
            number += 1
            return number
        }
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe.unshared()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.start()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw TestFailure("\(program) \(arguments) exited with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Something that a test needs did not work.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

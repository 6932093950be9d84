import Foundation
import Glibc
import Sockets
import Synchronization

/// One of PostgreSQL's own programs for its clients, in a version that suits a server.
struct PostgresProgram {
    let name: String
    let path: String

    /// Finds the oldest version that is not older than the server, and suits: what it makes can be read
    /// by most others. If none suits, the newest will say why.
    ///
    /// - Parameters:
    ///   - server: The major version of the server.
    ///   - folders: Where to look.
    ///   - suits: Whether a program can do what is to be done.
    init(
        _ name: String, forServer server: Int, in folders: [String] = Self.folders,
        where suits: (PostgresProgram) -> Bool = { _ in true }
    ) throws {
        let found = folders.map { $0 + "/" + name }.compactMap { path in
            Self.version(of: path).map { (path: path, version: $0) }
        }
        // Of equal ones, the first. Debian's are before its wrapper of them in PATH.
        let programs = found.filter { $0.version >= server }.sorted { $0.version < $1.version }
            .map { PostgresProgram(name: name, path: $0.path) }
        guard let best = programs.first(where: suits) ?? programs.last else {
            let others = found.map { "\($0.path) is of \($0.version)" }
            throw OperatorError(
                """
                This needs \(name) of PostgreSQL \(server) or newer, since the server is \
                PostgreSQL \(server), and \(others.isEmpty ? "it is not installed" : others.joined(separator: ", ")). \
                On Debian and Ubuntu, install the package postgresql-client-\(server), from \
                apt.postgresql.org if need be.
                """)
        }
        self = best
    }

    /// Those of Debian's packages for each version, and PATH.
    private static var folders: [String] {
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return versions.sorted().map { "\(debian)/\($0)/bin" }
            + path.split(separator: ":").map(String.init)
    }

    /// The major version of a program, which it prints; `nil` if there is no such program.
    private static func version(of path: String) -> Int? {
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        var text = ""
        try? PostgresProgram(name: "", path: path).run(["--version"]) {
            text += String(decoding: $0, as: UTF8.self)
        }
        return text.firstMatch(of: /\(PostgreSQL\) ([0-9]{1,4})/).flatMap { Int($0.1) }
    }

    private init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    // MARK: Running

    /// The program that runs now, and whether it is to end because of a signal.
    private static let running = Mutex<(process: pid_t?, isInterrupted: Bool)>((nil, false))

    /// Ends the program that runs, if any. After that, `run` doesn't return: this program is about to
    /// end, too.
    static func interrupt() {
        running.withLock {
            $0.isInterrupted = true
            if let process = $0.process { kill(process, SIGTERM) }
        }
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - input: What it reads, from its beginning.
    ///   - environment: Variables besides those of this process.
    ///   - output: Called with each part of what it prints. If it throws, the program is stopped.
    ///   - message: Called with each line of its messages. Errors and what follows them are thrown
    ///     instead.
    func run(
        _ arguments: [String], input: FileHandle = .nullDevice, environment: [String: String] = [:],
        output: (UnsafeRawBufferPointer) throws -> Void = { _ in },
        message: (Substring) -> Void = { _ in }
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { $1 }
            // Its messages are read here.
            .merging(["LC_ALL": "C", "TZ": "UTC"]) { $1 }
        // Foundation enters this process's folder again, by its path. With sudo, that is one of root's,
        // which may be closed to the site's user.
        if access(FileManager.default.currentDirectoryPath, X_OK) != 0 {
            process.currentDirectoryURL = URL(fileURLWithPath: "/")
        }
        let (printed, messages) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = printed
        process.standardError = messages
        try start(process)
        defer { Self.running.withLock { $0.process = nil } }
        var rest: [UInt8] = []
        // The first error, and the lines after it.
        var errors: [Substring] = []
        do {
            try readAll([printed.fileHandleForReading, messages.fileHandleForReading]) {
                guard $0 == 1 else { return try output($1) }
                rest += $1
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Substring(decoding: rest[..<end], as: UTF8.self)
                    rest.removeSubrange(...end)
                    if errors.isEmpty, !line.contains(" error: ") {
                        message(line)
                    } else if errors.count < 10 {
                        errors.append(line)
                    }
                }
            }
        } catch {
            process.terminate()
            process.waitUntilExit()
            throw error
        }
        process.waitUntilExit()
        while Self.running.withLock({ $0.isInterrupted }) { pause() }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let how = process.terminationReason == .exit ? "status" : "signal"
            let end = "it ended with \(how) \(process.terminationStatus)."
            throw OperatorError(
                "\(name) failed: \(errors.isEmpty ? end : errors.joined(separator: "\n"))")
        }
    }

    /// Starts it with no signal blocked. Programs inherit what the thread blocks that starts them, and
    /// Dispatch's threads block nearly all.
    private func start(_ process: Process) throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try Self.running.withLock {
            try process.run()
            $0.process = process.processIdentifier
        }
    }

    /// Reads from all files at once, each to its end.
    private func readAll(
        _ files: [FileHandle], _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var waiting = files.map { pollfd(fd: $0.fileDescriptor, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while waiting.contains(where: { $0.fd >= 0 }) {
            guard poll(&waiting, nfds_t(waiting.count), -1) >= 0 else {
                guard errno == EINTR else { throw SystemError(call: "poll") }
                continue
            }
            for index in waiting.indices where waiting[index].revents != 0 {
                let count = read(waiting[index].fd, &buffer, buffer.count)
                guard count > 0 else {
                    if count < 0, errno == EINTR { continue }
                    waiting[index].fd = -1  // poll(2) ignores it.
                    continue
                }
                try buffer.withUnsafeBytes { try body(index, .init(rebasing: $0[..<count])) }
            }
        }
    }
}

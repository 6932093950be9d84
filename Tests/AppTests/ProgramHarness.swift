import Foundation
import TestSupport
import Testing

/// A program of this package, run as a process from the folder that the tests were built in.
struct Program {
    let name: String
    /// Where it is, and is run; `nil` for the tests' own folder.
    var folder: String?

    static let admin = Program(name: "fave-admin")
    static let server = Program(name: "fave-server")

    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// The output as a JSON object.
        var object: [String: Any] {
            get throws {
                let json = try JSONSerialization.jsonObject(with: Data(output.utf8))
                return try #require(json as? [String: Any])
            }
        }
    }

    var path: String {
        get throws { try (folder ?? Self.folderOfTests()) + "/" + name }
    }

    /// A copy of the program alone, in a folder.
    ///
    /// Another process writes it. If this one did, a program that another test starts meanwhile would
    /// inherit the open file for a moment, and Linux runs no program that is open for writing.
    func copied(to folder: String) throws -> Program {
        let copying = Process()
        copying.executableURL = URL(fileURLWithPath: "/bin/cp")
        copying.arguments = ["\(try Self.folderOfTests())/fave-server", "\(folder)/\(name)"]
        try copying.start()
        copying.waitUntilExit()
        guard copying.terminationStatus == 0 else {
            throw TestFailure("cp ended with \(copying.terminationStatus)")
        }
        return Program(name: name, folder: folder)
    }

    /// The test bundle's own folder, which holds the programs, too: one executable, of which
    /// fave-admin is another name.
    private static func folderOfTests() throws -> String {
        let candidates = [
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            CommandLine.arguments.first { $0.hasSuffix(".xctest") },
        ].compactMap { $0 }
        for candidate in candidates {
            let folder = URL(fileURLWithPath: candidate).deletingLastPathComponent().path
            if FileManager.default.isExecutableFile(atPath: folder + "/fave-server") {
                symlink("fave-server", folder + "/fave-admin")  // fails if script/build has made it
                return folder
            }
        }
        throw TestFailure("the programs are not beside the tests: \(candidates)")
    }

    /// Starts the program, with only these variables and what it takes to find things.
    ///
    /// - Parameter input: What it can read; nothing if `nil`.
    func start(
        _ arguments: [String] = [], database: TestDatabase? = nil,
        environment: [String: String] = [:], input: Data? = nil
    ) throws -> RunningProgram {
        var variables = ["PATH": "/usr/bin:/bin"]
        for name in ["LD_LIBRARY_PATH", "HOME"] {
            variables[name] = ProcessInfo.processInfo.environment[name]
        }
        if let database { variables["DATABASE_URL"] = database.url }
        variables.merge(environment) { $1 }
        return try RunningProgram(
            path: path, workingFolder: folder,
            arguments: arguments, environment: variables, input: input)
    }

    /// Starts the program with a socket on a free port of an address that is passed to it, as systemd does.
    func startWithSocket(
        on address: String = "127.0.0.1", database: TestDatabase? = nil,
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        let script = """
            import os, socket, sys
            held = socket.create_server((sys.argv[2], 0))
            os.dup2(held.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
            os.execv(sys.argv[1], [sys.argv[1]])
            """
        return try Program(name: "python3", folder: "/usr/bin").start(
            ["-c", script, path, address], database: database, environment: environment)
    }

    /// Runs it to its end.
    func run(
        _ arguments: [String] = [], database: TestDatabase? = nil,
        environment: [String: String] = [:], input: Data? = nil
    ) async throws -> Outcome {
        try await start(
            arguments, database: database, environment: environment, input: input
        ).end()
    }
}

/// A program that runs, with what it prints going to files. Killed when nobody holds it any more.
final class RunningProgram {
    private let process = Process()
    private let folder: URL

    fileprivate init(
        path: String, workingFolder: String?, arguments: [String], environment: [String: String],
        input: Data?
    ) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-program-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["output", "errors"] {
            try Data().write(to: folder.appendingPathComponent(name))
        }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let workingFolder {
            process.currentDirectoryURL = URL(fileURLWithPath: workingFolder)
        }
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        if let input {
            let file = folder.appendingPathComponent("input")
            try input.write(to: file)
            process.standardInput = try FileHandle(forReadingFrom: file)
        }
        process.standardOutput = try FileHandle(
            forWritingTo: folder.appendingPathComponent("output"))
        process.standardError = try FileHandle(
            forWritingTo: folder.appendingPathComponent("errors"))
        try process.start()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    var errors: String { get throws { try text("errors") } }

    func send(signal: Int32) { kill(process.processIdentifier, signal) }

    /// Whether it has a handler for a signal; see proc_pid_status(5).
    func catches(_ signal: Int32) throws -> Bool {
        let status = try String(
            contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let caught = status.firstMatch(of: /SigCgt:\s*([0-9a-f]+)/).flatMap {
            UInt64($0.1, radix: 16)
        }
        return try #require(caught) & 1 << UInt64(signal - 1) != 0
    }

    /// Waits for something to be printed to standard error, or for the program's end.
    func waitForErrors<Match>(_ pattern: Regex<Match>) async throws -> Match {
        while true {
            let hasEnded = !process.isRunning
            if let match = try errors.firstMatch(of: pattern) { return match.output }
            if hasEnded { throw TestFailure("was never printed; only: \(try errors)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits for its end.
    func end() async throws -> Program.Outcome {
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        return Program.Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : -1,
            output: try text("output"), errors: try errors)
    }
}

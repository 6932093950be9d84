import Foundation
import Glibc

/// A program that tests start, such as a browser, with a folder and a group of processes of its own.
/// All of them are gone when the tests' process is, however it ends.
final class KeptProgram: Sendable {
    /// What it prints is in the file `log`.
    let folder: String
    private let keeper: Process
    /// The shell that looks after the program ends it when this pipe closes.
    private let leash: Pipe

    /// - Parameters:
    ///   - command: Its program is looked up in `PATH`.
    ///   - environment: Besides `PATH` and those of folders. No proxies: nothing is to be reached but
    ///     tests' servers.
    ///   - prepare: Writes files to the folder before the program starts.
    init(
        _ command: [String], environment: [String: String] = [:],
        prepare: (_ folder: String) throws -> Void = { _ in }
    ) throws {
        leash = Pipe.unshared()
        folder = "/tmp/fave-browser.\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try prepare(folder)
        keeper = Process()
        keeper.executableURL = URL(fileURLWithPath: "/bin/sh")
        keeper.arguments = ["-c", Self.keeperScript, "keeper", folder] + command
        keeper.environment = [
            "PATH": Self.path, "HOME": folder, "TMPDIR": folder, "XDG_RUNTIME_DIR": folder,
            "LANG": "C.UTF-8",
        ].merging(environment) { $1 }
        keeper.standardInput = leash
        try keeper.start()
    }

    deinit { end() }

    func end() { try? leash.fileHandleForWriting.close() }

    private static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

    /// The first of some programs that is in `PATH`.
    static func find(_ names: [String]) -> String? {
        names.lazy.flatMap { name in path.split(separator: ":").lazy.map { "\($0)/\(name)" } }
            .first(where: FileManager.default.isExecutableFile)
    }

    /// The same, or says how to install it.
    static func program(_ names: [String]) throws -> String {
        guard let program = find(names) else {
            throw TestFailure(
                "\(names.joined(separator: " or ")) is not installed: run script/setup --test-all")
        }
        return program
    }

    /// The program leads a group of its own, so that all that it starts ends with it. They are asked
    /// to end, as Xvfb then removes its files outside of the folder, and are killed a second later.
    private static let keeperScript = """
        folder=$1
        shift
        cd "$folder" || exit 1
        exec 2>/dev/null
        trap '' HUP INT PIPE TERM
        exec 3<&0 </dev/null
        (
            trap - HUP INT PIPE TERM
            exec setsid "$@" >log 2>&1 3<&-
        ) &
        program=$!
        end() {
            kill -TERM -"$program"
            for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
                kill -0 -"$program" || return
                sleep 0.05
            done
            kill -KILL -"$program"
        }
        { cat <&3; end; } >/dev/null &
        watcher=$!
        exec 3<&-
        wait "$program"
        kill -KILL "$watcher"
        end
        # Until the last of them is gone, they may write to their profiles.
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            rm -rf "$folder" && break
            sleep 0.1
        done
        """

    /// Waits until something can be told about the program, while it runs.
    func wait<Value>(for what: String, _ value: () -> Value?) throws -> Value {
        while keeper.isRunning {
            if let value = value() { return value }
            usleep(10_000)
        }
        throw TestFailure("the end of the program instead of \(what): \(text(of: "log") ?? "")")
    }

    /// A file of the folder.
    func text(of file: String) -> String? {
        try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
    }
}

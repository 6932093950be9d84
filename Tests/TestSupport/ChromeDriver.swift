import Foundation
import Glibc

/// chromedriver on a free port of the loopback, which starts a Chromium for each `WebDriver`. All of
/// them are gone when the tests' process is, however it ends.
///
/// `script/setup --test-all` installs both.
final class ChromeDriver: Sendable {
    private let port: Int
    /// The shell that looks after chromedriver ends it when this pipe closes.
    private let leash: Pipe

    /// One for all tests, started when the first one asks for it.
    static func shared() throws -> ChromeDriver { try started.get() }

    private static let started = Result { try ChromeDriver() }

    private init() throws {
        let program = try Self.program()
        leash = Pipe.unshared()
        let folder = "/tmp/fave-browser.\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let keeper = Process()
        keeper.executableURL = URL(fileURLWithPath: "/bin/sh")
        keeper.arguments = ["-c", Self.keeperScript, "keeper", folder, program]
        // Profiles are made in TMPDIR. No proxies: nothing is to be reached but tests' servers.
        keeper.environment = [
            "PATH": Self.path, "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8",
        ]
        keeper.standardInput = leash
        try keeper.start()
        port = try Self.waitForPort(log: folder + "/log", while: keeper)
    }

    private static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

    private static func program() throws -> String {
        for folder in path.split(separator: ":") {
            let program = "\(folder)/chromedriver"
            if FileManager.default.isExecutableFile(atPath: program) { return program }
        }
        throw TestFailure("chromedriver is not installed: run script/setup --test-all")
    }

    /// chromedriver leads a group of its own, so that its Chromiums end with it.
    private static let keeperScript = """
        folder=$1 program=$2
        cd "$folder" || exit 1
        exec 2>/dev/null
        trap '' HUP INT PIPE TERM
        exec 3<&0 </dev/null
        setsid "$program" --port=0 >log 2>&1 3<&- &
        driver=$!
        { cat <&3; kill -KILL -"$driver"; } >/dev/null &
        watcher=$!
        exec 3<&-
        wait "$driver"
        kill -KILL -"$driver" "$watcher"
        # Until the last of them is gone, they may write to their profiles.
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            rm -rf "$folder" && break
            sleep 0.1
        done
        """

    private static func waitForPort(log: String, while keeper: Process) throws -> Int {
        var text = ""
        while keeper.isRunning {
            text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? text
            if let match = text.firstMatch(of: /started successfully on port (\d+)/),
                let port = Int(match.1)
            {
                return port
            }
            usleep(10_000)
        }
        throw TestFailure("chromedriver did not start: \(text)")
    }

    /// Sends one command, and waits for what comes of it for at most twelve minutes.
    ///
    /// - Returns: The `value` of the response, as JSON.
    /// - Throws: `WebDriverError` if it says that the command failed.
    func send(_ method: String, _ path: String, _ parameters: [String: Any]?) throws -> Any {
        let connection = try RawConnection(port: port, timeout: 720)
        let body = try parameters.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let head = """
            \(method) \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r\n
            """
        try connection.send(Array(head.utf8) + body)
        let response = try connection.readResponse()
        let value = try response.object["value"] ?? NSNull()
        guard response.status != 200 else { return value }
        let error = value as? [String: Any]
        throw WebDriverError(
            code: error?["error"] as? String ?? "status \(response.status)",
            message: error?["message"] as? String ?? response.text)
    }
}

/// A command that failed; WebDriver section 6.6.
struct WebDriverError: Error, CustomStringConvertible {
    /// Such as `no such element`.
    let code: String
    let message: String

    var description: String { "\(code): \(message)" }
}

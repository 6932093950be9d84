import Foundation

/// Asks a server for what its OpenAPI document does not say, with requests made up from the document:
/// <https://schemathesis.io>. `script/setup --test-all` installs it; `Tests/Python/schemathesis.toml`
/// says what it looks for.
public enum Schemathesis {
    public struct Report: Sendable {
        public let isClean: Bool
        /// In its own words, as far as they are ASCII: what it makes up is anything else, and test
        /// runners leave out what they cannot print.
        public let text: String

        init(isClean: Bool, output: Data) {
            self.isClean = isClean
            text = String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
                String(String.UnicodeScalarView(line.unicodeScalars.prefix(500).map(Self.plain)))
            }.joined(separator: "\n")
        }

        private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
            (0x20..<0x7F).contains(scalar.value) ? scalar : "?"
        }
    }

    /// Runs it to its end, or kills it when it takes too long.
    ///
    /// - Parameters:
    ///   - document: Its text.
    ///   - variables: What the configuration names.
    ///   - seconds: The most that it may take, however busy the machine is.
    public static func run(
        _ document: String, at url: String, variables: [String: String], seconds: Int = 600
    ) throws -> Report {
        let repository = TestDatabase.repository
        let python = repository + "/.run/test-tools/bin/python"
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw TestFailure("Schemathesis is not installed: run script/setup --test-all")
        }
        // It leaves a cache where it runs.
        let folder = "/tmp/fave-schemathesis.\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/openapi.json"
        try document.write(toFile: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = [
            "--signal=KILL", "\(seconds)", python, "-m", "schemathesis.cli", "--config-file",
            repository + "/Tests/Python/schemathesis.toml", "run", file, "--url", url,
            "--no-color",
        ]
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "COLUMNS": "100",
            "PYTHONDONTWRITEBYTECODE": "1",
        ].merging(variables) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        let log = folder + "/log"
        try Data().write(to: URL(fileURLWithPath: log))
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.start()
        process.waitUntilExit()
        return Report(
            isClean: process.terminationStatus == 0,
            output: try Data(contentsOf: URL(fileURLWithPath: log)))
    }
}

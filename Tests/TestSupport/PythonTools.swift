import Foundation

/// Runs what is written in Python, which `script/setup --test-all` installs.
public enum PythonTools {
    public struct Report: Sendable {
        public let isClean: Bool
        /// What it printed, as far as it is ASCII: test runners leave out what they cannot print.
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

    /// Runs Python to its end, or kills it when it takes too long.
    ///
    /// - Parameters:
    ///   - arguments: Made from the path of an empty folder, in which it runs.
    ///   - seconds: The most that it may take, however busy the machine is.
    public static func run(
        variables: [String: String] = [:], seconds: Int = 1200,
        _ arguments: (String) throws -> [String]
    ) throws -> Report {
        let python = TestDatabase.repository + "/.run/test-tools/bin/python"
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw TestFailure("the tools in Python are not installed: run script/setup --test-all")
        }
        let folder = "/tmp/fave-python.\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["--signal=KILL", "\(seconds)", python] + (try arguments(folder))
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

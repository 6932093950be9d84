import Foundation

/// A self-signed certificate and its key in PEM, made by openssl(1).
public struct TestCertificate: Sendable {
    /// In a file each.
    public let certificatePath: String
    public let keyPath: String

    public var certificate: [UInt8] { get throws { try Self.contents(certificatePath) } }
    public var key: [UInt8] { get throws { try Self.contents(keyPath) } }

    private static func contents(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// For `localhost` and 127.0.0.1; made when the first test asks for it.
    public static let shared: TestCertificate = {
        do {
            return try TestCertificate(
                for: ["localhost"], in: TestFolder.shared.path, named: "shared")
        } catch {
            fatalError("no certificate for the tests: \(error)")
        }
    }()

    /// - Parameters:
    ///   - names: The first is its common name.
    ///   - file: The names of its files, without their endings.
    ///   - key: As `openssl req -newkey` takes it.
    public init(
        for names: [String], in folder: String, named file: String,
        key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    ) throws {
        certificatePath = "\(folder)/\(file).pem"
        keyPath = "\(folder)/\(file).key"
        let alternatives = names.map { "DNS:\($0)" } + ["IP:127.0.0.1"]
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "req", "-x509", "-nodes", "-days", "30", "-newkey"] + key + [
                "-keyout", keyPath, "-out", certificatePath, "-subj", "/CN=\(names[0])",
                "-addext", "subjectAltName=\(alternatives.joined(separator: ","))",
            ]
        process.standardInput = FileHandle.nullDevice
        let errors = Pipe.unshared()
        process.standardError = errors
        try process.start()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestFailure("openssl: \(text)") }
    }
}

/// A folder for files of the whole run.
enum TestFolder {
    /// Removed when the process ends in good order.
    static let shared: URL = {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-tests-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: TestFolder.shared) }
        return url
    }()
}

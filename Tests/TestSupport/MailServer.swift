import Foundation
import Synchronization

/// A mail server as a process of its own: `Tests/Python/mail_server.py`, on a free port of the
/// loopback. It ends with whoever holds this, or with the tests' process.
///
/// `script/setup --test-all` installs what it needs.
public final class MailServer: Sendable {
    public enum Encryption: String, Sendable {
        case off
        /// Nothing else is possible before it.
        case startTLS = "starttls"
        case implicit
    }

    /// How the server behaves.
    public enum Option: Sendable {
        /// It accepts nothing from others.
        case authentication(user: String, password: String)
        /// It offers none.
        case noAuthentication
        /// Replies 451 to the first messages.
        case deferring(Int)
        /// Replies 550 to a recipient.
        case rejecting(String)
        /// Greets nobody.
        case hangingAtConnect
        /// Receives a message, but never says so.
        case hangingAtContent
        /// Receives a message, and closes the connection instead of saying so.
        case droppingAtContent

        fileprivate var arguments: [String] {
            switch self {
            case .authentication(let user, let password):
                ["--user", user, "--password", password]
            case .noAuthentication: ["--no-auth"]
            case .deferring(let count): ["--defer", "\(count)"]
            case .rejecting(let address): ["--reject", address]
            case .hangingAtConnect: ["--hang", "connect"]
            case .hangingAtContent: ["--hang", "content"]
            case .droppingAtContent: ["--drop", "content"]
            }
        }
    }

    /// A message as Python reads it.
    public struct Message: Decodable, Sendable {
        /// Those of the envelope.
        public let sender: String
        public let recipients: [String]
        /// As they were sent, without the doubling of dots.
        public let bytes: Data
        /// All fields of the header, decoded.
        public let fields: [[String]]
        public let fromName: String
        public let fromAddress: String
        public let text: String
        /// What is wrong with it.
        public let defects: [String]
        public let isEncrypted: Bool
        /// Who has authenticated.
        public let user: String?

        /// - Returns: `nil` unless there is exactly one.
        public subscript(name: String) -> String? {
            let values = fields.filter { $0[0] == name }
            return values.count == 1 ? values[0][1] : nil
        }
    }

    private struct Event: Decodable {
        let port: Int?
        let connection: Int?
        let command: String?
        let message: Message?
    }

    public let port: Int
    public let encryption: Encryption
    public let messages = Recorder<Message>()
    /// One for each client.
    public let connections = Recorder<Int>()
    /// What clients have said, line by line, after decryption.
    public let commands = Recorder<String>()
    /// The server reads from it, and ends when it closes.
    private let leash: Pipe

    /// Starts the server, and waits until it listens.
    public init(
        _ encryption: Encryption = .off, _ options: [Option] = [],
        certificate: @autoclosure () -> TestCertificate = .shared
    ) throws {
        let python = TestDatabase.repository + "/.run/test-tools/bin/python"
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw TestFailure("the mail server is not installed: run script/setup --test-all")
        }
        let (leash, output) = (Pipe.unshared(), Pipe.unshared())
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments =
            [
                TestDatabase.repository + "/Tests/Python/mail_server.py", "--tls",
                encryption.rawValue,
            ]
            + options.flatMap(\.arguments)
        if encryption != .off {
            let certificate = certificate()
            process.arguments?.append(contentsOf: [
                "--certificate", certificate.certificatePath, "--key", certificate.keyPath,
            ])
        }
        process.environment = [
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
        ]
        process.standardInput = leash
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start()
        var lines = LineReader(output.fileHandleForReading)
        guard let line = lines.next(),
            let port = try JSONDecoder().decode(Event.self, from: line).port
        else { throw TestFailure("the mail server did not start") }
        self.port = port
        self.encryption = encryption
        self.leash = leash
        let (messages, connections, commands) = (messages, connections, commands)
        // Not Dispatch: each of these waits for as long as its server lives.
        let reader = Thread { [lines] in
            var lines = lines
            while let line = lines.next() {
                guard let event = try? JSONDecoder().decode(Event.self, from: line) else {
                    continue
                }
                event.message.map { messages.record($0) }
                event.connection.map { connections.record($0) }
                event.command.map { commands.record($0) }
            }
        }
        reader.start()
    }

    deinit {
        try? leash.fileHandleForWriting.close()
    }
}

/// Reads a pipe line by line.
private struct LineReader: Sendable {
    private let handle: FileHandle
    private var buffer = Data()
    /// How many bytes of the buffer are known to end no line.
    private var searched = 0

    init(_ handle: FileHandle) { self.handle = handle }

    /// - Returns: `nil` at the end.
    mutating func next() -> Data? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(buffer[..<end])
                buffer = Data(buffer[(end + 1)...])
                searched = 0
                return line
            }
            searched = buffer.count
            let more = handle.availableData
            guard !more.isEmpty else { return nil }
            buffer += more
        }
    }
}

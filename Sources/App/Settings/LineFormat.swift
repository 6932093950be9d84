import Foundation
import Glibc
import HTTP
import JSON
import Logging

/// How a log message is written as a line.
struct LineFormat: Sendable {
    enum Kind {
        case text
        case json
        /// Just the message, which has a format of its own.
        case bare
    }

    private let kind: Kind
    private let isJournal: Bool

    /// - Parameter isJournal: Whether the lines go to systemd's journal, which adds the time, and reads
    ///   the priority from the beginning of a line (sd-daemon(3)).
    init(_ kind: Kind, isJournal: Bool) {
        self.kind = kind
        self.isJournal = isJournal
    }

    /// The line, which ends with a line feed.
    func line(
        _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]
    ) -> [UInt8] {
        let priority = isJournal ? "<\(level.priority)>" : ""
        let metadata = metadata.sorted { $0.key < $1.key }
        switch kind {
        case .json: return Array(priority.utf8) + Self.json(level, message, metadata)
        case .bare: return Array("\(priority)\(message)\n".utf8)
        case .text:
            let time = isJournal ? "" : "\(Date().rfc3339) \(level): "
            let details = metadata.map { " \($0.key)=\($0.value)" }.joined()
            // Each line has a priority of its own. The space says that it isn't a message of its own,
            // whatever it quotes.
            let indentation = Array("\(priority)    ".utf8)
            // By bytes: to Swift, a carriage return and a line feed are one character.
            let text = "\(message)\(details)".utf8.flatMap { byte in
                byte == UInt8(ascii: "\n") ? [byte] + indentation : [byte]
            }
            return Array("\(priority)\(time)".utf8) + text + [UInt8(ascii: "\n")]
        }
    }

    private static func json(
        _ level: Logger.Level, _ message: String,
        _ metadata: [(key: String, value: Logger.Metadata.Value)]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("time", Date().rfc3339)
            json.member("level", level.rawValue)
            json.member("message", message)
            for (key, value) in metadata {
                json.name(computed: key)
                switch value {
                case .stringConvertible(let number as Int): json.int(number)
                default: json.string(value.description)
                }
            }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// What a program says when it fails, with the priority of an error if it goes to the journal.
    static func failure(_ message: String) -> [UInt8] {
        let isJournal = isJournal(ProcessInfo.processInfo.environment)
        return isJournal
            ? LineFormat(.text, isJournal: true).line(.error, message)
            : Array((message + "\n").utf8)
    }

    /// Whether standard error is the stream to the journal that systemd names in the environment
    /// (systemd.exec(5)). A program's child may have inherited the variable alone.
    static func isJournal(_ environment: [String: String]) -> Bool {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}

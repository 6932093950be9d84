import Foundation
import Glibc
import HTTP
import JSON
import Logging
import Web

extension SettingsReader {
    /// Sets up logging for the process: to standard error, as text or as one JSON object per line.
    func bootstrapLogging() throws(SettingError) {
        let level = try value(Settings.service.logLevel)
        let isJSON = try value(Settings.service.logsAreJSON)
        let isJournal = LineLogHandler.isJournal(ProcessInfo.processInfo.environment)
        let repetitions = Repetitions()
        LoggingSystem.bootstrap { label in
            var handler = LineLogHandler(
                isJSON ? .json : label == RequestLog.label ? .bare : .text, isJournal: isJournal,
                repetitions)
            handler.logLevel = level
            return handler
        }
    }
}

/// Writes each log message as a line to standard error. Warnings and errors that say the same are
/// written once a minute, with their number.
struct LineLogHandler: LogHandler {
    enum Format {
        case text
        case json
        /// Just the message, which has a format of its own.
        case bare
    }

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    private let format: Format
    private let isJournal: Bool
    private let repetitions: Repetitions
    private let output: @Sendable ([UInt8]) -> Void

    /// - Parameter isJournal: Whether the lines go to systemd's journal, which adds the time, and reads
    ///   the priority from the beginning of a line (sd-daemon(3)).
    init(
        _ format: Format, isJournal: Bool, _ repetitions: Repetitions,
        to output: @escaping @Sendable ([UInt8]) -> Void = { line in
            // A full disk or a reader that is gone must not end the server.
            _ = try? FileHandle.standardError.write(contentsOf: line)
        }
    ) {
        self.format = format
        self.isJournal = isJournal
        self.repetitions = repetitions
        self.output = output
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level >= .warning else { return output(line(event)) }
        let isAdmitted = repetitions.admit(event.message.description) { omitted in
            var event = event
            // It may be over since, so this says when it was.
            event.message = """
                \(omitted.count) more time\(omitted.count == 1 ? "" : "s") since \
                \(omitted.since.rfc3339), last at \(omitted.latest.rfc3339): \(event.message)
                """
            event.metadata = nil
            output(line(event))
        }
        if isAdmitted { output(line(event)) }
    }

    private func line(_ event: LogEvent) -> [UInt8] {
        let priority = isJournal ? "<\(event.level.priority)>" : ""
        let metadata = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
            .sorted { $0.key < $1.key }
        switch format {
        case .json: return Array(priority.utf8) + Self.json(event, metadata)
        case .bare: return Array("\(priority)\(event.message)\n".utf8)
        case .text:
            let time = isJournal ? "" : "\(Date().rfc3339) \(event.level): "
            let details = metadata.map { " \($0.key)=\($0.value)" }.joined()
            // Each line has a priority of its own.
            let message = event.message.description.replacing("\n", with: "\n" + priority)
            return Array("\(priority)\(time)\(message)\(details)\n".utf8)
        }
    }

    private static func json(
        _ event: LogEvent, _ metadata: [(key: String, value: Logger.Metadata.Value)]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("time", Date().rfc3339)
            json.member("level", event.level.rawValue)
            json.member("message", event.message.description)
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

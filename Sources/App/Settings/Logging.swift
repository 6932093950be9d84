import Foundation
import HTTP
import Logging
import Web

extension SettingsReader {
    /// Sets up logging for the process: to standard error, as text or as one JSON object per line.
    func bootstrapLogging() throws(SettingError) {
        let level = try value(Settings.service.logLevel)
        let isJSON = try value(Settings.service.logsAreJSON)
        let isJournal = LineFormat.isJournal(ProcessInfo.processInfo.environment)
        let repetitions = Repetitions()
        let messages = LineFormat(isJSON ? .json : .text, isJournal: isJournal)
        LogWriter.standardError.use(messages)
        LoggingSystem.bootstrap { label in
            let format =
                label == RequestLog.label && !isJSON
                ? LineFormat(.bare, isJournal: isJournal) : messages
            var handler = LineLogHandler(format, repetitions) { LogWriter.standardError.append($0) }
            handler.logLevel = level
            return handler
        }
    }
}

/// Writes each log message as a line. Warnings and errors that say the same are written once a minute,
/// with their number.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    private let format: LineFormat
    private let repetitions: Repetitions
    private let output: @Sendable ([UInt8]) -> Void

    /// - Parameter output: Takes each line. Must not block, because event loops log.
    init(
        _ format: LineFormat, _ repetitions: Repetitions,
        to output: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.format = format
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
        let metadata = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
        return format.line(event.level, event.message.description, metadata)
    }
}

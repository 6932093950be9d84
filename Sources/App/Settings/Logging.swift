import Foundation
import Logging

extension SettingsReader {
    /// Sets up logging for the process: to standard error, as text or as one JSON object per line.
    func bootstrapLogging() throws(SettingError) {
        let level = try value(Settings.service.logLevel)
        let isJSON = try value(Settings.service.logsAreJSON)
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                isJSON ? JSONLogHandler() : StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }
}

/// Writes log messages as JSON objects, one per line.
struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields: [String: String] = [:]
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
            fields[key] = value.description
        }
        fields["time"] = Date().formatted(.iso8601)
        fields["level"] = event.level.rawValue
        fields["message"] = event.message.description
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(fields) else { return }
        FileHandle.standardError.write(line + Data("\n".utf8))
    }
}

import Foundation
import HTTP
import JSON
import Logging
import Web

extension SettingsReader {
    /// Sets up logging for the process: to standard error, as text or as one JSON object per line.
    func bootstrapLogging() throws(SettingError) {
        let level = try value(Settings.service.logLevel)
        let isJSON = try value(Settings.service.logsAreJSON)
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                if isJSON {
                    JSONLogHandler()
                } else if label == RequestLog.label {
                    LineLogHandler()
                } else {
                    StreamLogHandler.standardError(label: label)
                }
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
        // A full disk or a reader that is gone must not end the server.
        try? FileHandle.standardError.write(contentsOf: Self.line(event, metadata))
    }

    static func line(_ event: LogEvent, _ metadata: Logger.Metadata) -> [UInt8] {
        let metadata = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
        var json = JSONWriter()
        json.object { json in
            json.member("time", Date().rfc3339)
            json.member("level", event.level.rawValue)
            json.member("message", event.message.description)
            for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
                json.name(computed: key)
                switch value {
                case .stringConvertible(let number as Int): json.int(number)
                default: json.string(value.description)
                }
            }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }
}

/// Writes log messages as they are, without a time and a level, for messages that have their own
/// format.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        try? FileHandle.standardError.write(
            contentsOf: Data((event.message.description + "\n").utf8))
    }
}

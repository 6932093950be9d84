import Logging

/// Keeps all that is logged, at every level.
public struct RecordingLogHandler: LogHandler {
    private let lines: Recorder<String>
    public var metadata: Logger.Metadata = [:]
    public var logLevel = Logger.Level.trace

    public init(lines: Recorder<String>) { self.lines = lines }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        lines.record("\(event.level): \(event.message) \(event.metadata ?? [:])")
    }
}

/// Samples with the same name, as Prometheus reads them.
public struct MetricFamily: Sendable {
    public enum Kind: String, Sendable { case counter, gauge, histogram }

    /// The value of one series.
    public struct Sample: Sendable {
        public let labels: MetricLabels
        public let value: Double

        public init(_ value: Double, _ labels: MetricLabels = []) {
            self.labels = labels
            self.value = value
        }

        public init(_ value: Int, _ labels: MetricLabels = []) { self.init(Double(value), labels) }
    }

    public let name: MetricName
    public let samples: [Sample]

    public init(_ name: MetricName, _ samples: [Sample]) {
        self.name = name
        self.samples = samples
    }

    public init(_ name: MetricName, _ value: Double) { self.init(name, [Sample(value)]) }

    public init(_ name: MetricName, _ value: Int) { self.init(name, [Sample(value)]) }
}

public typealias MetricLabels = [(String, String)]

/// A metric's name and help text.
public struct MetricName: Sendable {
    /// The name by OpenTelemetry's semantic conventions, with dots, as passed to swift-metrics.
    public let label: String
    public let kind: MetricFamily.Kind
    /// The name in Prometheus: with underscores, and with the unit at its end.
    public let exposedName: String
    /// A sentence for people who read the metrics.
    public let help: String

    /// - Parameter unit: The unit at the end of the exposed name; `nil` for a number of things.
    public init(_ label: String, _ kind: MetricFamily.Kind, unit: String? = nil, _ help: String) {
        self.label = label
        self.kind = kind
        self.help = help
        var name = label.replacing(".", with: "_")
        if let unit { name += "_" + unit }
        if kind == .counter { name += "_total" }
        exposedName = name
    }
}

import CoreMetrics

/// Records times in a histogram of swift-metrics.
public struct Stopwatch: Sendable {
    private let timer: Timer

    public init(_ name: MetricName, _ labels: MetricLabels = []) {
        timer = Timer(label: name.label, dimensions: labels)
    }

    public func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        timer.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

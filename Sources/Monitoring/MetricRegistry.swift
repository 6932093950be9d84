public import CoreMetrics
import Synchronization

/// All metrics of a process, for Prometheus: what swift-metrics has recorded, and what collectors
/// gather when someone asks.
///
/// Only metrics that are declared are stored, so that each has a kind, a unit and a help text. Any
/// thread may use it.
public final class MetricRegistry: Sendable {
    /// Gathers metrics that are not worth counting until someone asks for them.
    public typealias Collector = @Sendable () async -> [MetricFamily]

    fileprivate struct Series: Hashable {
        let label: String
        let dimensions: [String]
    }

    private struct State {
        /// Each user has a histogram of its own, so that threads don't write to the same memory. They
        /// are added up when someone asks.
        var histograms: [Series: [Histogram]] = [:]
        var counters: [Series: Counter] = [:]
        var collectors: [Collector] = []
    }

    private let names: [String: MetricName]
    private let order: [MetricName]
    private let state = Mutex(State())

    /// - Parameter names: The metrics that are recorded with swift-metrics, in the order of the
    ///   output.
    public init(_ names: [MetricName]) {
        order = names
        self.names = Dictionary(uniqueKeysWithValues: names.map { ($0.label, $0) })
    }

    public func add(_ collector: @escaping Collector) {
        state.withLock { $0.collectors.append(collector) }
    }

    /// All metrics in Prometheus's text format, version 0.0.4.
    public func exposition() async -> [UInt8] {
        let (histograms, counters, collectors) = state.withLock {
            ($0.histograms, $0.counters, $0.collectors)
        }
        var writer = ExpositionWriter()
        let byLabel = Dictionary(grouping: histograms) { $0.key.label }
        let countersByLabel = Dictionary(grouping: counters) { $0.key.label }
        for name in order {
            switch name.kind {
            case .histogram:
                let series = (byLabel[name.label] ?? []).sorted { $0.key < $1.key }
                writer.write(name, series.map { ($0.key.labels, Histogram.sum($0.value)) })
            case .counter, .gauge:
                let series = (countersByLabel[name.label] ?? []).sorted { $0.key < $1.key }
                writer.write(
                    MetricFamily(name, series.map { .init($0.value.count, $0.key.labels) }))
            }
        }
        for collector in collectors {
            for family in await collector() { writer.write(family) }
        }
        return writer.output
    }
}

extension MetricRegistry: MetricsFactory {
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        guard names[label]?.kind == .histogram else { return NOOPMetricsHandler.instance }
        let series = Series(label: label, dimensions: dimensions.flatMap { [$0.0, $0.1] })
        return state.withLock { state in
            let histogram = Histogram()
            state.histograms[series, default: []].append(histogram)
            return histogram
        }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard names[label]?.kind == .counter else { return NOOPMetricsHandler.instance }
        let series = Series(label: label, dimensions: dimensions.flatMap { [$0.0, $0.1] })
        return state.withLock { state in
            if let counter = state.counters[series] { return counter }
            let counter = Counter()
            state.counters[series] = counter
            return counter
        }
    }

    /// Nothing here records such metrics: collectors gather values that go up and down.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { NOOPMetricsHandler.instance }

    // A series is never removed, because Prometheus would take a new beginning for a restart.
    public func destroyTimer(_ handler: any TimerHandler) {}
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
}

/// Counts events. Any thread may use it.
private final class Counter: CounterHandler {
    private let value = Atomic<Int64>(0)

    var count: Int { Int(value.load(ordering: .relaxed)) }

    func increment(by amount: Int64) { value.add(amount, ordering: .relaxed) }

    func reset() { value.store(0, ordering: .relaxed) }
}

extension MetricRegistry.Series: Comparable {
    static func < (a: Self, b: Self) -> Bool {
        a.dimensions.lexicographicallyPrecedes(b.dimensions)
    }

    var labels: MetricLabels {
        stride(from: 0, to: dimensions.count, by: 2).map { (dimensions[$0], dimensions[$0 + 1]) }
    }
}

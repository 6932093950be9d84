import CoreMetrics
import Synchronization

/// Counts times by their length. Any thread may use it.
///
/// The parts of a histogram are read one after the other, so a time that is recorded during the
/// read may be in one part and not yet in another. The count is that of the buckets, so these
/// always agree.
final class Histogram: TimerHandler {
    /// The upper bounds of the buckets, in nanoseconds. A last bucket has no bound.
    static let bounds: InlineArray<16, Int64> = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
        50_000_000, 100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
        5_000_000_000, 10_000_000_000,
    ]

    private let buckets = InlineArray<17, Atomic<Int64>> { _ in Atomic(0) }
    private let sum = Atomic<Int64>(0)

    func recordNanoseconds(_ duration: Int64) {
        var index = 0
        while index < Self.bounds.count, duration > Self.bounds[index] { index += 1 }
        buckets[index].add(1, ordering: .relaxed)
        sum.add(duration, ordering: .relaxed)
    }

    /// The sum of several histograms.
    static func sum(_ histograms: [Histogram]) -> (buckets: [Int64], sum: Double) {
        histograms.reduce(into: (Array(repeating: 0, count: bounds.count + 1), 0)) { total, next in
            let counts = next.counts
            for (index, count) in counts.buckets.enumerated() { total.0[index] += count }
            total.1 += counts.sum
        }
    }

    /// How many times are in each bucket, the one without a bound last, and their sum in seconds.
    var counts: (buckets: [Int64], sum: Double) {
        let sum = Double(sum.load(ordering: .relaxed)) / 1e9
        return ((0...Self.bounds.count).map { buckets[$0].load(ordering: .relaxed) }, sum)
    }
}

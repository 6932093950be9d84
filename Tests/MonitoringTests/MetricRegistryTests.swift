import CoreMetrics
import Testing

@testable import Monitoring

@Suite("Metrics")
struct MetricRegistryTests {
    private static let times = MetricName(
        "http.server.request.duration", .histogram, unit: "seconds", "How long requests took.")
    private static let losses = MetricName("db.client.losses", .counter, "What was lost.")

    private let registry = MetricRegistry([times, losses])

    private func record(_ nanoseconds: Int64..., labels: MetricLabels = []) {
        let handler = registry.makeTimer(label: Self.times.label, dimensions: labels)
        for time in nanoseconds { handler.recordNanoseconds(time) }
    }

    private func lines() async -> [String] {
        String(decoding: await registry.exposition(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    @Test("count times in buckets that each hold those before, with a sum and a count")
    func histograms() async {
        record(99_000, 100_000, 100_001, 20_000_000_000, labels: [("http.route", "/@{user}")])
        let lines = await lines()
        #expect(
            lines.prefix(2) == [
                "# HELP http_server_request_duration_seconds How long requests took.",
                "# TYPE http_server_request_duration_seconds histogram",
            ])
        let name = "http_server_request_duration_seconds"
        #expect(lines.contains("\(name)_bucket{http_route=\"/@{user}\",le=\"0.0001\"} 2"))
        #expect(lines.contains("\(name)_bucket{http_route=\"/@{user}\",le=\"0.00025\"} 3"))
        #expect(lines.contains("\(name)_bucket{http_route=\"/@{user}\",le=\"10\"} 3"))
        #expect(lines.contains("\(name)_bucket{http_route=\"/@{user}\",le=\"+Inf\"} 4"))
        #expect(lines.contains("\(name)_count{http_route=\"/@{user}\"} 4"))
        #expect(lines.contains("\(name)_sum{http_route=\"/@{user}\"} 20.000299001"))
        #expect(lines.count == 2 + 17 + 2)
    }

    @Test("of the same name and labels are one series")
    func series() async {
        for _ in 0..<3 {
            registry.makeCounter(label: Self.losses.label, dimensions: [("loop", "0")])
                .increment(by: 2)
        }
        registry.makeCounter(label: Self.losses.label, dimensions: [("loop", "1")]).increment(by: 1)
        #expect(
            await lines() == [
                "# HELP db_client_losses_total What was lost.",
                "# TYPE db_client_losses_total counter",
                "db_client_losses_total{loop=\"0\"} 6", "db_client_losses_total{loop=\"1\"} 1",
            ])
    }

    @Test("that nobody declared are not kept, and series without a time are not shown")
    func unknown() async {
        registry.makeTimer(label: "other", dimensions: []).recordNanoseconds(1)
        registry.makeCounter(label: "other", dimensions: []).increment(by: 1)
        record(labels: [("http.route", "/")])
        #expect(await lines() == [])
    }

    @Test("escape what labels hold")
    func escapes() async {
        registry.makeCounter(label: Self.losses.label, dimensions: [("what", "a\"b\\c\nd")])
            .increment(by: 1)
        #expect(await lines().last == #"db_client_losses_total{what="a\"b\\c\nd"} 1"#)
    }

    @Test("include what collectors gather")
    func collectors() async {
        let name = MetricName("process.resident_memory", .gauge, unit: "bytes", "Memory.")
        registry.add { [MetricFamily(name, 1 << 40), MetricFamily(name, 0.25)] }
        #expect(
            await lines().filter { !$0.hasPrefix("#") } == [
                "process_resident_memory_bytes 1099511627776", "process_resident_memory_bytes 0.25",
            ])
    }

    @Test("count every time that threads record at once")
    func threads() async {
        let handler = registry.makeTimer(label: Self.times.label, dimensions: [])
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<10_000 { handler.recordNanoseconds(1_000_000) } }
            }
        }
        let lines = await lines()
        #expect(lines.contains("http_server_request_duration_seconds_count 40000"))
        #expect(lines.contains("http_server_request_duration_seconds_sum 40"))
    }
}

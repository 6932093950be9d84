/// Writes metrics in Prometheus's text format, version 0.0.4.
struct ExpositionWriter {
    private(set) var output: [UInt8] = []

    mutating func write(_ family: MetricFamily) {
        guard !family.samples.isEmpty else { return }
        writeHead(family.name)
        for sample in family.samples {
            writeLine(family.name.exposedName, sample.labels, Self.text(sample.value))
        }
    }

    /// Writes a histogram whose bounds are those of `Histogram`. Empty series are left out, because
    /// many series never record anything.
    mutating func write(
        _ name: MetricName,
        _ series: [(labels: MetricLabels, counts: (buckets: [Int64], sum: Double))]
    ) {
        let series = series.filter { $0.counts.buckets.contains { $0 > 0 } }
        guard !series.isEmpty else { return }
        writeHead(name)
        for (labels, counts) in series {
            var count: Int64 = 0
            for (index, bucket) in counts.buckets.enumerated() {
                count += bucket
                let bound =
                    index < Histogram.bounds.count
                    ? Self.text(Double(Histogram.bounds[index]) / 1e9) : "+Inf"
                writeLine(name.exposedName + "_bucket", labels + [("le", bound)], String(count))
            }
            writeLine(name.exposedName + "_sum", labels, Self.text(counts.sum))
            writeLine(name.exposedName + "_count", labels, String(count))
        }
    }

    private mutating func writeHead(_ name: MetricName) {
        // In a help text a line feed and a backslash would have to be escaped.
        precondition(!name.help.utf8.contains { $0 == 10 || $0 == UInt8(ascii: "\\") })
        output += "# HELP \(name.exposedName) \(name.help)\n".utf8
        output += "# TYPE \(name.exposedName) \(name.kind.rawValue)\n".utf8
    }

    private mutating func writeLine(_ name: String, _ labels: MetricLabels, _ value: String) {
        output += name.utf8
        if !labels.isEmpty {
            output.append(UInt8(ascii: "{"))
            for (index, (label, value)) in labels.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output += label.replacing(".", with: "_").utf8
                output += "=\"".utf8
                appendEscaped(value)
                output.append(UInt8(ascii: "\""))
            }
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: " "))
        output += value.utf8
        output.append(UInt8(ascii: "\n"))
    }

    private mutating func appendEscaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): output += "\\\\".utf8
            case UInt8(ascii: "\""): output += "\\\"".utf8
            case 10: output += "\\n".utf8
            default: output.append(byte)
            }
        }
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? String(Int(value)) : "\(value)"
    }
}

/// Picks indices with given weights in constant time (Vose's alias method).
struct AliasTable: Sendable {
    private var thresholds: [Double]
    private var aliases: [Int]

    /// - Parameter weights: At least one, none negative, not all zero.
    init(weights: [Double]) {
        precondition(!weights.isEmpty)
        let mean = weights.reduce(0, +) / Double(weights.count)
        precondition(mean > 0)
        thresholds = weights.map { $0 / mean }
        aliases = Array(weights.indices)

        var small = thresholds.indices.filter { thresholds[$0] < 1 }
        var large = thresholds.indices.filter { thresholds[$0] >= 1 }
        while let less = small.popLast(), let more = large.popLast() {
            aliases[less] = more
            thresholds[more] -= 1 - thresholds[less]
            if thresholds[more] < 1 {
                small.append(more)
            } else {
                large.append(more)
            }
        }
    }

    func pick(using generator: inout SeededGenerator) -> Int {
        let index = generator.below(thresholds.count)
        return generator.unit() < thresholds[index] ? index : aliases[index]
    }
}

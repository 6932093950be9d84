/// A reproducible source of random numbers for demo data, by SplitMix64. It is not fit for secrets.
///
/// It picks elements by its own arithmetic, not by the standard library's, so that a seed gives the
/// same demo data with every version of Swift.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// One of many independent generators that share a seed.
    init(seed: UInt64, stream: UInt64) {
        state = Self.mix(seed) ^ Self.mix(stream &+ 0x632b_e59b_d9b4_e019)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mix(state)
    }

    /// A number from 0 up to but not including `bound`, which must be positive.
    mutating func below(_ bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number from 0 up to but not including 1.
    mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// True with the given probability.
    mutating func chance(_ probability: Double) -> Bool {
        unit() < probability
    }

    /// One of the elements, each equally likely. There must be at least one element.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// The same numbers in every run.
public struct Random: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: Int) { state = UInt64(seed) &* 7919 &+ 1 }

    public mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var x = state
        x ^= x >> 33
        x &*= 0xff51_afd7_ed55_8ccd
        return x ^ (x >> 29)
    }

    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}

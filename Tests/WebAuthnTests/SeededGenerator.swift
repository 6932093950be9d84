/// SplitMix64: the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Changes bytes in one to three places.
    ///
    /// - Returns: Always something else than `bytes`.
    mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var mutated = bytes
        repeat {
            for _ in 0..<Int.random(in: 1...3, using: &self) { change(&mutated) }
        } while mutated == bytes
        return mutated
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(byte()) }
        let place = Int.random(in: 0..<bytes.count, using: &self)
        switch Int.random(in: 0..<7, using: &self) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 1: bytes[place] = byte()
        // Where CBOR's lengths and numbers are at their limits.
        case 2:
            bytes[place] = [0, 0x17, 0x1B, 0x3B, 0x5B, 0x7F, 0x80, 0x9B, 0xBB, 0xFF][place % 10]
        case 3: bytes.insert(byte(), at: place)
        case 4: bytes.remove(at: place)
        case 5: bytes.removeLast(min(bytes.count, Int.random(in: 1...40, using: &self)))
        default:
            let end = min(bytes.count, place + Int.random(in: 1...40, using: &self))
            bytes.insert(contentsOf: bytes[place..<end], at: place)
        }
    }

    private mutating func byte() -> UInt8 { .random(in: .min ... .max, using: &self) }
}

/// Tests of eight bytes at once, one in each byte of a word. A result is 0 if no byte passes, and
/// otherwise has top bits set. These may also be those of a neighbour, due to a borrow. A limit is at most
/// 0x80.
extension UInt64 {
    @inlinable static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable static var tops: UInt64 { 0x8080_8080_8080_8080 }

    @inlinable @inline(__always)
    public func bytes(below limit: UInt8) -> UInt64 {
        (self &- Self.ones &* UInt64(limit)) & ~self & Self.tops
    }

    @inlinable @inline(__always)
    public func bytes(equalTo byte: UInt8) -> UInt64 {
        (self ^ (Self.ones &* UInt64(byte))).bytes(below: 1)
    }

    /// The same with some bits set in every byte.
    @inlinable @inline(__always)
    public func setting(_ bits: UInt8) -> UInt64 { self | Self.ones &* UInt64(bits) }
}

extension Span<UInt8> {
    /// Whether a byte passes a test, which must not be passed by spaces.
    @inlinable @inline(__always)
    public func containsAny(where test: (UInt64) -> UInt64) -> Bool {
        guard count >= 8 else {
            var word: UInt64 = 0x2020_2020_2020_2020
            for index in indices { word = word &<< 8 | UInt64(self[index]) }
            return test(word) != 0
        }
        var offset = 0
        while offset &+ 8 <= count {
            if test(word(at: offset)) != 0 { return true }
            offset &+= 8
        }
        // The last word may include bytes of the previous word.
        return test(word(at: count &- 8)) != 0
    }
}

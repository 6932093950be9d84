import Glibc

/// A view of bytes that the caller owns.
///
/// Invariant: a view is only passed down to callees. It is never stored, and never returned past
/// the call that lent the memory.
typealias Bytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
    /// The part from `start` up to `end`. The caller has already checked that both are in bounds.
    @inline(__always)
    func part(_ start: Int, _ end: Int) -> Bytes {
        assert(start >= 0 && start <= end && end <= count)
        return Bytes(start: baseAddress.map { $0 + start }, count: end - start)
    }

    @inline(__always)
    func part(from start: Int) -> Bytes { part(start, count) }

    /// Where `byte` first occurs at or after `start` and before `end`.
    @inline(__always)
    func position(of byte: UInt8, from start: Int, before end: Int) -> Int? {
        guard let base = baseAddress, start < end else { return nil }
        guard let found = memchr(base + start, Int32(byte), end - start) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// The bytes without the white space around them (`OWS` of RFC 9110 §5.6.3).
    @inline(__always)
    var trimmed: Bytes {
        var start = 0
        var end = count
        while start < end, self[start].isWhiteSpace { start += 1 }
        while start < end, self[end - 1].isWhiteSpace { end -= 1 }
        return part(start, end)
    }

    /// Whether the bytes are `literal`, ignoring case. `literal` must be in lower case, and its
    /// other characters must be ones that setting bit 5 doesn't change, as in all of HTTP's tokens.
    ///
    /// Correct only for bytes already known to be a token. Among other bytes, setting bit 5 also
    /// turns control characters into digits and punctuation.
    @inline(__always)
    func isToken(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard count == length, let base = baseAddress else { return false }
        let ours = UnsafeRawPointer(base)
        let theirs = UnsafeRawPointer(literal.utf8Start)
        var offset = 0
        while offset &+ 8 <= length {
            let word = ours.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let wanted = theirs.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word | 0x2020_2020_2020_2020 != wanted { return false }
            offset &+= 8
        }
        while offset < length {
            if self[offset] | 0x20 != literal.utf8Start[offset] { return false }
            offset &+= 1
        }
        return true
    }

    /// The bytes as text; `nil` when they aren't UTF-8.
    ///
    /// Most text is ASCII and needs no validation. The check for ASCII comes first because
    /// `String(validating:as:)` is generic and looks up metadata, which takes longer than
    /// everything else here.
    @inline(__always)
    var text: String? {
        isASCII ? String(decoding: self, as: UTF8.self) : String(validating: self, as: UTF8.self)
    }

    @inline(__always)
    private var isASCII: Bool {
        guard let base = baseAddress else { return true }
        var bits: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= count {
            bits |= UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < count {
            bits |= UInt64(self[offset])
            offset &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// Whether any byte is a control character other than the tab. Looks at eight bytes at a time.
    @inline(__always)
    var holdsControl: Bool {
        guard let base = baseAddress else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            let word = UnsafeRawPointer(base).loadUnaligned(
                fromByteOffset: offset, as: UInt64.self)
            // The top bit of each byte tells in `below` whether the byte was below 0x20, and in
            // `isDelete` whether it was 0x7F. A borrow may also flag a neighbour, but never hides a
            // byte, so flagged words are checked byte by byte.
            let below = (word &- 0x2020_2020_2020_2020) & ~word
            let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
            let isDelete = (delete &- 0x0101_0101_0101_0101) & ~delete
            if (below | isDelete) & 0x8080_8080_8080_8080 != 0 {
                for index in offset..<(offset &+ 8) where self[index].isControl { return true }
            }
            offset &+= 8
        }
        while offset < count {
            if self[offset].isControl { return true }
            offset &+= 1
        }
        return false
    }
}

extension UInt8 {
    @inline(__always) static var tab: UInt8 { 0x09 }
    @inline(__always) static var lineFeed: UInt8 { 0x0A }
    @inline(__always) static var carriageReturn: UInt8 { 0x0D }
    @inline(__always) static var space: UInt8 { 0x20 }
    @inline(__always) static var quote: UInt8 { 0x22 }
    @inline(__always) static var percent: UInt8 { 0x25 }
    @inline(__always) static var asterisk: UInt8 { 0x2A }
    @inline(__always) static var plus: UInt8 { 0x2B }
    @inline(__always) static var comma: UInt8 { 0x2C }
    @inline(__always) static var dot: UInt8 { 0x2E }
    @inline(__always) static var slash: UInt8 { 0x2F }
    @inline(__always) static var colon: UInt8 { 0x3A }
    @inline(__always) static var semicolon: UInt8 { 0x3B }
    @inline(__always) static var equals: UInt8 { 0x3D }
    @inline(__always) static var questionMark: UInt8 { 0x3F }
    @inline(__always) static var backslash: UInt8 { 0x5C }

    @inline(__always) var isWhiteSpace: Bool { self == .space || self == .tab }

    /// Whether the byte is a control character that no field value may hold. The tab is allowed
    /// there.
    @inline(__always) var isControl: Bool { (self < 0x20 && self != .tab) || self == 0x7F }

    /// The byte in lower case if it is an ASCII letter; otherwise the byte itself.
    @inline(__always) var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

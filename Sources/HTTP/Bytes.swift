import Encodings

/// A view of bytes that the caller owns, which can't outlive them, and whose indices are checked.
typealias Bytes = Span<UInt8>

extension Span<UInt8> {
    /// The bytes without the white space around them (`OWS` of RFC 9110 §5.6.3).
    var trimmed: Bytes {
        @_lifetime(copy self)
        get {
            var start = 0
            var end = count
            while start < end, self[start].isWhiteSpace { start += 1 }
            while start < end, self[end - 1].isWhiteSpace { end -= 1 }
            return part(start, end)
        }
    }

    /// Whether the bytes are `literal`, ignoring case. `literal` must be in lower case, and its
    /// other characters must be ones that setting bit 5 doesn't change, as in all of HTTP's tokens.
    ///
    /// Correct only for bytes already known to be a token. Among other bytes, setting bit 5 also
    /// turns control characters into digits and punctuation.
    @inline(__always)
    func isToken(_ literal: StaticString) -> Bool {
        isEqual(to: literal.span, setting: 0x20)
    }

    /// Whether any byte is a control character other than the tab. Looks at eight bytes at a time.
    @inline(__always)
    var holdsControl: Bool {
        var offset = 0
        while offset &+ 8 <= count {
            let word = word(at: offset)
            // The bytes of a word that may have such a byte are checked one by one.
            if word.bytes(below: 0x20) | word.bytes(equalTo: 0x7F) != 0 {
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

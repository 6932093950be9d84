/// A set of ASCII bytes, held as two words so that a look-up is a shift and a mask.
///
/// A table behind a `static let` would check at every look-up whether it has been initialized;
/// these words are constants in the code. `ByteSetTests` compares each with its definition in the
/// RFC.
struct ByteSet {
    private let low: UInt64
    private let high: UInt64

    @inline(__always)
    private init(_ low: UInt64, _ high: UInt64) {
        self.low = low
        self.high = high
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && (word &>> UInt64(byte & 63)) & 1 != 0
    }

    /// `tchar` of RFC 9110 §5.6.2: methods, field names, parameter names.
    @inline(__always)
    static var token: ByteSet { ByteSet(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE) }

    /// The bytes of a path: `pchar`, "/" and the "%" of an escape (RFC 3986 §3.3).
    @inline(__always)
    static var path: ByteSet { ByteSet(0x2FFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF) }

    /// The bytes of a query (RFC 3986 §3.4), and also the punctuation that browsers send unescaped
    /// when it is typed into the address bar (`[ ] \ ^ { | }` and the grave accent).
    @inline(__always)
    static var query: ByteSet { ByteSet(0xAFFF_FFF2_0000_0000, 0x7FFF_FFFF_FFFF_FFFF) }

    /// `unreserved` of RFC 3986 §2.3. These bytes never need an escape, and a host name may hold no
    /// others here.
    @inline(__always)
    static var unreserved: ByteSet { ByteSet(0x03FF_6000_0000_0000, 0x47FF_FFFE_87FF_FFFE) }

    /// The bytes between the brackets of an IPv6 address (RFC 3986 §3.2.2).
    @inline(__always)
    static var ipv6: ByteSet { ByteSet(0x07FF_4000_0000_0000, 0x0000_007E_0000_007E) }
}

extension OutputSpan<UInt8> {
    /// Appends a number in decimal digits, with a sign only if it is negative: at most 20 bytes.
    @inlinable
    public mutating func append(decimal value: Int) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = value.magnitude
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { append(UInt8(ascii: "-")) }
        while start < digits.count {
            append(digits[start])
            start += 1
        }
    }
}

extension [UInt8] {
    /// The same at the end of an array.
    @inlinable
    public mutating func append(decimal value: Int) {
        append(addingCapacity: 20) { $0.append(decimal: value) }
    }
}

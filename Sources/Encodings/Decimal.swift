extension [UInt8] {
    /// Appends a number in decimal digits, with a sign only if it is negative.
    @inlinable
    public mutating func append(decimal value: Int) {
        guard value >= 0 else { return append(contentsOf: String(value).utf8) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = value
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}

/// Bytes written as two hexadecimal digits each (RFC 4648 section 8), in lower case.
public enum Hexadecimal {
    @inlinable
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes { append(byte, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    @inlinable
    public static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
    }

    /// The ASCII digit of a value below 16.
    @inlinable
    public static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The value of an ASCII digit in either case; `nil` if it is not a hexadecimal digit.
    @inlinable
    public static func value(of digit: UInt8) -> UInt8? {
        if digit &- UInt8(ascii: "0") < 10 { return digit &- UInt8(ascii: "0") }
        let letter = (digit | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter &+ 10 : nil
    }
}

public import Foundation

extension UUID {
    /// The 36 characters of RFC 9562 section 4, in lower case. Foundation's `uuidString` has capitals, and
    /// formats each byte like `printf`.
    public var text: String {
        // All patterns of 16 bytes are two numbers.
        let (high, low) = unsafe unsafeBitCast(uuid, to: (UInt64, UInt64).self)
        return UUID.text(UInt64(bigEndian: high), UInt64(bigEndian: low))
    }

    /// The text of the UUID whose halves are two numbers.
    public static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(asciiCapacity: 36) { text in
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    text.append(UInt8(ascii: "-"))
                }
                let half = digit < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half >> UInt64((15 - digit % 16) * 4)) & 15
                text.append(Hexadecimal.digit(value))
            }
        }
    }
}

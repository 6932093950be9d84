public import Foundation

extension UUID {
    /// The 36 characters of RFC 9562 section 4, in lower case. Foundation's `uuidString` has capitals, and
    /// formats each byte like `printf`.
    public var text: String {
        let (high, low) = withUnsafeBytes(of: uuid) {
            (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        return UUID.text(UInt64(bigEndian: high), UInt64(bigEndian: low))
    }

    /// The text of the UUID whose halves are two numbers.
    public static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                let half = digit < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half >> UInt64((15 - digit % 16) * 4)) & 15
                text[place] = Hexadecimal.digit(value)
                place += 1
            }
            return place
        }
    }
}

/// Converts dates between HTTP's formats (RFC 9110 §5.6.7) and whole seconds since 1970 in UTC.
public enum HTTPDate {
    /// The last second of the last year with four digits: 9999-12-31 23:59:59.
    static let maximum = 253_402_300_799

    /// Writes an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`: always 29 characters.
    ///
    /// A date before 1970 or after 9999 becomes the nearest one in that range.
    public static func format(secondsSince1970 seconds: Int) -> String {
        let seconds = min(max(seconds, 0), maximum)
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86400)
        let date = CivilDate(daysSince1970: days)
        // 1970 began on a Thursday.
        let weekday = (days + 4) % 7
        return String(unsafeUninitializedCapacity: 29) { buffer in
            // Invariant: 3 + 2 + 2 + 1 + 3 + 1 + 4 + 1 + 8 + 4 = 29 bytes are written, in order.
            var writer = Writer(buffer: buffer)
            writer.name(weekdays, weekday)
            writer.put(.comma)
            writer.put(.space)
            writer.digits(date.day)
            writer.put(.space)
            writer.name(months, date.month - 1)
            writer.put(.space)
            writer.digits(date.year / 100)
            writer.digits(date.year % 100)
            writer.put(.space)
            writer.digits(time / 3600)
            writer.put(.colon)
            writer.digits(time / 60 % 60)
            writer.put(.colon)
            writer.digits(time % 60)
            writer.put(.space)
            writer.name("GMT", 0)
            return writer.count
        }
    }

    /// Names of three letters, one after another. A string literal is a constant, which an array
    /// would not be.
    static var weekdays: StaticString { "SunMonTueWedThuFriSat" }
    static var months: StaticString { "JanFebMarAprMayJunJulAugSepOctNovDec" }

    private struct Writer {
        let buffer: UnsafeMutableBufferPointer<UInt8>
        var count = 0

        mutating func put(_ byte: UInt8) {
            buffer[count] = byte
            count += 1
        }

        mutating func digits(_ value: Int) {
            put(0x30 + UInt8(truncatingIfNeeded: value / 10))
            put(0x30 + UInt8(truncatingIfNeeded: value % 10))
        }

        mutating func name(_ names: StaticString, _ index: Int) {
            for offset in index * 3..<index * 3 + 3 { put(names.utf8Start[offset]) }
        }
    }
}

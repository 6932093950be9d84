import Encodings

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
        return String(asciiCapacity: 29) { text in
            text.append(copying: name(weekdays, weekday))
            text.append(literal: ", ")
            text.append(twoDigits: date.day)
            text.append(.space)
            text.append(copying: name(months, date.month - 1))
            text.append(.space)
            text.append(twoDigits: date.year / 100)
            text.append(twoDigits: date.year % 100)
            text.append(.space)
            text.append(time: time)
            text.append(literal: " GMT")
        }
    }

    /// Names of three letters, one after another. A string literal is a constant, which an array
    /// would not be.
    static var weekdays: StaticString { "SunMonTueWedThuFriSat" }
    static var months: StaticString { "JanFebMarAprMayJunJulAugSepOctNovDec" }

    @_lifetime(immortal)
    private static func name(_ names: StaticString, _ index: Int) -> Bytes {
        names.span.part(index * 3, index * 3 + 3)
    }
}

extension OutputSpan<UInt8> {
    mutating func append(twoDigits value: Int) {
        append(0x30 + UInt8(truncatingIfNeeded: value / 10))
        append(0x30 + UInt8(truncatingIfNeeded: value % 10))
    }

    /// Appends a time of day, as `08:49:37`.
    ///
    /// - Parameter time: In seconds.
    mutating func append(time: Int) {
        append(twoDigits: time / 3600)
        append(.colon)
        append(twoDigits: time / 60 % 60)
        append(.colon)
        append(twoDigits: time % 60)
    }
}

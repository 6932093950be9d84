import Glibc

extension HTTPDate {
    /// Parses a date in one of the three forms that a recipient must accept (RFC 9110 §5.6.7):
    ///
    ///     Sun, 06 Nov 1994 08:49:37 GMT
    ///     Sunday, 06-Nov-94 08:49:37 GMT
    ///     Sun Nov  6 08:49:37 1994
    ///
    /// Returns seconds since 1970, or `nil` for any other text, in which case the field counts as
    /// absent. The name of the day must be valid, but isn't compared with the date. A year of two
    /// digits is the latest possible one that is at most 50 years after `now`. Without `now`, the
    /// system's clock is used.
    public static func parse(_ text: some StringProtocol, now: Int? = nil) -> Int? {
        var text = String(text)
        return text.withUTF8 { bytes in
            var reader = Reader(bytes: bytes)
            guard let weekday = reader.weekday() else { return nil }
            let form: (CivilDate, Int)?
            if weekday.isLong {
                form = reader.rfc850(now: now)
            } else if reader.skip(", ") {
                form = reader.imfFixdate()
            } else {
                form = reader.asctime()
            }
            guard let (date, time) = form, reader.isAtEnd, let days = date.daysSince1970 else {
                return nil
            }
            return days * 86400 + time
        }
    }

    private struct Reader {
        let bytes: Bytes
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func imfFixdate() -> (CivilDate, Int)? {
            guard let day = digits(2), skip(" "), let month = month(), skip(" "),
                let year = digits(4), skip(" "), let time = time(), skip(" GMT")
            else { return nil }
            return (CivilDate(year: year, month: month, day: day), time)
        }

        mutating func rfc850(now: Int?) -> (CivilDate, Int)? {
            guard skip(", "), let day = digits(2), skip("-"), let month = month(), skip("-"),
                let shortYear = digits(2), skip(" "), let time = time(), skip(" GMT")
            else { return nil }
            let now = max(now ?? Glibc.time(nil), 0)
            let thisYear = CivilDate(daysSince1970: now / 86400).year
            var year = thisYear - thisYear % 100 + 100 + shortYear
            while year > thisYear + 50 { year -= 100 }
            return (CivilDate(year: year, month: month, day: day), time)
        }

        mutating func asctime() -> (CivilDate, Int)? {
            guard skip(" "), let month = month(), skip(" "),
                let day = skip(" ") ? digits(1) : digits(2), skip(" "), let time = time(),
                skip(" "), let year = digits(4)
            else { return nil }
            return (CivilDate(year: year, month: month, day: day), time)
        }

        /// Consumes the name of a day, either its first three letters or all of it.
        mutating func weekday() -> (index: Int, isLong: Bool)? {
            guard let index = name(of: weekdays, count: 7) else { return nil }
            let endings: [StaticString] = [
                "day", "day", "sday", "nesday", "rsday", "day", "urday",
            ]
            return (index, skip(endings[index]))
        }

        mutating func month() -> Int? {
            name(of: months, count: 12).map { $0 + 1 }
        }

        /// The time of day in seconds. A leap second counts as the first second after it, as in
        /// POSIX time.
        mutating func time() -> Int? {
            guard let hour = digits(2), skip(":"), let minute = digits(2), skip(":"),
                let second = digits(2), hour < 24, minute < 60, second <= 60
            else { return nil }
            return hour * 3600 + minute * 60 + second
        }

        mutating func digits(_ count: Int) -> Int? {
            guard position + count <= bytes.count else { return nil }
            var value = 0
            for byte in bytes.part(position, position + count) {
                guard byte.isDigit else { return nil }
                value = value * 10 + Int(byte & 0x0F)
            }
            position += count
            return value
        }

        mutating func skip(_ literal: StaticString) -> Bool {
            let length = literal.utf8CodeUnitCount
            guard position + length <= bytes.count else { return false }
            for offset in 0..<length where bytes[position + offset] != literal.utf8Start[offset] {
                return false
            }
            position += length
            return true
        }

        /// Consumes a name of three letters and returns its index. Case matters.
        private mutating func name(of names: StaticString, count: Int) -> Int? {
            guard position + 3 <= bytes.count else { return nil }
            for index in 0..<count {
                let isHere = (0..<3).allSatisfy {
                    bytes[position + $0] == names.utf8Start[index * 3 + $0]
                }
                if isHere {
                    position += 3
                    return index
                }
            }
            return nil
        }
    }
}

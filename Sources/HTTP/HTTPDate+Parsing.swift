import Encodings
import Glibc

extension HTTPDate {
    /// Parses a date in one of the three forms that a recipient must accept (RFC 9110 §5.6.7):
    ///
    ///     Sun, 06 Nov 1994 08:49:37 GMT
    ///     Sunday, 06-Nov-94 08:49:37 GMT
    ///     Sun Nov  6 08:49:37 1994
    ///
    /// Returns seconds since 1970, or `nil` for any other text: the field then counts as absent.
    /// The name of the day must be valid, but isn't compared with the date. A year of two digits is
    /// the latest possible one that is at most 50 years after `now`. Without `now`, the system's
    /// clock is used.
    public static func parse(_ text: some StringProtocol, now: Int? = nil) -> Int? {
        let bytes = Array(text.utf8)
        for weekday in weekdayNames where bytes.starts(with: weekday.utf8.prefix(3)) {
            if bytes.starts(with: weekday.utf8) {
                let rest = bytes.dropFirst(weekday.utf8.count)
                guard var numbers = numbers(in: rest, ", DD-NNN-YY hh:mm:ss GMT"),
                    let year = numbers["Y"]
                else { return nil }
                let latest =
                    CivilDate(daysSince1970: max(now ?? Glibc.time(nil), 0) / 86400).year + 50
                numbers["Y"] = latest - (latest - year) % 100
                return seconds(numbers)
            }
            let rest = bytes.dropFirst(3)
            return
                (numbers(in: rest, ", DD NNN YYYY hh:mm:ss GMT")
                ?? numbers(in: rest, " NNN dD hh:mm:ss YYYY")).flatMap(seconds)
        }
        return nil
    }

    private static let weekdayNames = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    /// Reads the numbers in a text of a form. In a form, `D`, `Y`, `h`, `m` and `s` match a digit,
    /// `d` matches a digit or a space, and `NNN` matches the name of a month. Every other character
    /// matches itself.
    private static func numbers(
        in text: ArraySlice<UInt8>, _ form: String
    ) -> [Unicode.Scalar: Int]? {
        guard text.count == form.utf8.count else { return nil }
        var numbers: [Unicode.Scalar: Int] = [:]
        var month: [UInt8] = []
        for (byte, place) in zip(text, form.unicodeScalars) {
            switch place {
            case "N": month.append(byte)
            case "d" where byte == .space: break
            case "d", "D", "Y", "h", "m", "s":
                guard byte.isASCIIDigit else { return nil }
                let place = place == "d" ? "D" : place
                numbers[place] = numbers[place, default: 0] * 10 + Int(byte & 0x0F)
            default: guard place.value == byte else { return nil }
            }
        }
        let names = months.description.utf8
        numbers["N"] = (0..<12).first { names.dropFirst(3 * $0).prefix(3).elementsEqual(month) }
        return numbers
    }

    private static func seconds(_ numbers: [Unicode.Scalar: Int]) -> Int? {
        guard let year = numbers["Y"], let month = numbers["N"], let day = numbers["D"],
            let hour = numbers["h"], let minute = numbers["m"], let second = numbers["s"],
            // A leap second counts as the first second after it, as in POSIX time.
            hour < 24, minute < 60, second <= 60,
            let days = CivilDate(year: year, month: month + 1, day: day).daysSince1970
        else { return nil }
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }
}

import Encodings
public import Foundation

extension Date {
    /// The date in the format of RFC 3339, in UTC, to the second. Dates before 1970 become the
    /// beginning of 1970, and later ones than the year 9999, which the format doesn't have, its end.
    public var rfc3339: String {
        let seconds = Int(min(max(0, timeIntervalSince1970), 253_402_300_799).rounded(.down))
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let day = CivilDate(daysSince1970: days)
        return String(asciiCapacity: 20) { text in
            text.append(twoDigits: day.year / 100)
            text.append(twoDigits: day.year % 100)
            text.append(UInt8(ascii: "-"))
            text.append(twoDigits: day.month)
            text.append(UInt8(ascii: "-"))
            text.append(twoDigits: day.day)
            text.append(UInt8(ascii: "T"))
            text.append(time: time)
            text.append(UInt8(ascii: "Z"))
        }
    }
}

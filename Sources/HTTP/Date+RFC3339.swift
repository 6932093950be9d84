import Foundation

extension Date {
    /// The date in the format of RFC 3339, in UTC, to the second. Dates before 1970 become the
    /// beginning of 1970, and later ones than the year 9999, which the format doesn't have, its end.
    public var rfc3339: String {
        let seconds = Int(min(max(0, timeIntervalSince1970), 253_402_300_799).rounded(.down))
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let day = CivilDate(daysSince1970: days)
        return String(unsafeUninitializedCapacity: 20) { text in
            var place = 0
            func append(_ value: Int, digits: Int, then end: Unicode.Scalar) {
                var rest = value
                for digit in (0..<digits).reversed() {
                    text[place + digit] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                text[place + digits] = UInt8(ascii: end)
                place += digits + 1
            }
            append(day.year, digits: 4, then: "-")
            append(day.month, digits: 2, then: "-")
            append(day.day, digits: 2, then: "T")
            append(time / 3600, digits: 2, then: ":")
            append(time / 60 % 60, digits: 2, then: ":")
            append(time % 60, digits: 2, then: "Z")
            return place
        }
    }
}

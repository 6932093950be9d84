import Foundation

extension Date {
    /// The date in the format of RFC 3339, in UTC, to the second. Dates before 1970 become the
    /// beginning of 1970.
    public var rfc3339: String {
        let seconds = max(0, Int(timeIntervalSince1970.rounded(.down)))
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let day = CivilDate(daysSince1970: days)
        return "\(day.year)-\(pad(day.month))-\(pad(day.day))T"
            + "\(pad(time / 3600)):\(pad(time / 60 % 60)):\(pad(time % 60))Z"
    }

    private func pad(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

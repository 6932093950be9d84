public import Foundation

extension Date {
    /// The day in UTC, for example "29 February 2024".
    public var dayInWords: String {
        let day = CivilDate(daysSince1970: daysSince1970)
        return "\(day.day) \(Self.months[day.month - 1]) \(day.year)"
    }

    /// The day in UTC, for places with little room: "today", "29 Feb", or "29 Feb 2024" if it is in
    /// another year than `now`.
    public func shortDay(seenAt now: Date = Date()) -> String {
        if daysSince1970 == now.daysSince1970 { return "today" }
        let day = CivilDate(daysSince1970: daysSince1970)
        let year = CivilDate(daysSince1970: now.daysSince1970).year
        let words = "\(day.day) \(Self.months[day.month - 1].prefix(3))"
        return day.year == year ? words : "\(words) \(day.year)"
    }

    /// The day in UTC as a number. It is 0 for days before 1970.
    public var daysSince1970: Int { max(0, Int(timeIntervalSince1970.rounded(.down))) / 86_400 }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}

import Foundation

extension Date {
    /// The day in UTC, for example "29 February 2024".
    public var dayInWords: String {
        let days = max(0, Int(timeIntervalSince1970.rounded(.down))) / 86_400
        let day = CivilDate(daysSince1970: days)
        return "\(day.day) \(Self.months[day.month - 1]) \(day.year)"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}

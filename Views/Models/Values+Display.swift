import FaveGames
import Foundation
import HTTP

extension Int {
    /// In decimal, with a comma before each three digits.
    package var grouped: String {
        let digits = String(self)
        guard digits.utf8.count > 3 else { return digits }
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.utf8.count - index) % 3 == 0 { grouped.append(",") }
            grouped.append(digit)
        }
        return grouped
    }
}

extension Date {
    /// The day in UTC, for example "29 February 2024".
    package var dayInWords: String {
        let days = max(0, Int(timeIntervalSince1970.rounded(.down))) / 86_400
        let day = CivilDate(daysSince1970: days)
        return "\(day.day) \(Self.months[day.month - 1]) \(day.year)"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}

extension Rating {
    /// Five stars, as many of them black as it has points.
    package var stars: String {
        String(repeating: "★", count: value)
            + String(repeating: "☆", count: Self.range.upperBound - value)
    }
}

extension GameStanding {
    /// Of the first one's count, 0 to 100, for the bar.
    var percent: Int { highestCount > 0 ? includedBy * 100 / highestCount : 0 }
}

extension Entry {
    /// On how many other lists the game is, for the same platform.
    ///
    /// - Parameter isCounted: Whether this list is among those that count.
    func others(isCounted: Bool) -> Int { max(0, includedBy - (isCounted ? 1 : 0)) }
}

package import Foundation
import HTTP

/// A day in UTC, in one of the forms that pages write it in.
package struct Day: Localized, Equatable, Sendable {
    fileprivate let date: CivilDate
    fileprivate let form: Form

    fileprivate enum Form {
        case long, short
        /// Short, and without the year.
        case ofThisYear
        case today
    }

    package func string(in language: Language) -> String {
        let rules = language.rules
        func write(_ pattern: LanguageRules.DayPattern, _ months: [String]) -> String {
            pattern((date.day, months[date.month - 1], date.year))
        }
        return switch form {
        case .long: write(rules.longDay, rules.months)
        case .short: write(rules.shortDay, rules.shortMonths)
        case .ofThisYear: write(rules.shortDayOfYear, rules.shortMonths)
        case .today: rules.today
        }
    }
}

extension Date {
    /// The day in UTC, for example "29 February 2024".
    package var dayInWords: Day {
        Day(date: CivilDate(daysSince1970: daysSince1970), form: .long)
    }

    /// The day in UTC, for places with little room: "today", "29 Feb", or "29 Feb 2024" if it is in
    /// another year than `now`.
    package func shortDay(seenAt now: Date = Date()) -> Day {
        let date = CivilDate(daysSince1970: daysSince1970)
        if daysSince1970 == now.daysSince1970 { return Day(date: date, form: .today) }
        let thisYear = CivilDate(daysSince1970: now.daysSince1970).year
        return Day(date: date, form: date.year == thisYear ? .ofThisYear : .short)
    }
}

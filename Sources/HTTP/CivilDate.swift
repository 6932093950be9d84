/// A day of the Gregorian calendar.
///
/// The calculations count years from March, so that the leap day is the last day of its year. They
/// group years into eras of 400 years, because the calendar repeats itself exactly after that time.
public struct CivilDate: Equatable, Sendable {
    public var year: Int
    /// 1 to 12.
    public var month: Int
    /// 1 to 31.
    public var day: Int

    private static let daysPerEra = 146_097
    /// The number of days from 1 March of the year 0 to 1 January 1970.
    private static let epoch = 719_468

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// `days` must not be negative.
    public init(daysSince1970 days: Int) {
        let (era, dayOfEra) = (days + Self.epoch).quotientAndRemainder(dividingBy: Self.daysPerEra)
        // Subtracts one day for every 4 years, adds one back for every 100, and subtracts one at
        // the end of the era.
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // The five months from March on, and from August on, have 153 days: 31, 30, 31, 30, 31.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// The days since 1970; `nil` when there is no such day in the calendar or the year is
    /// negative.
    var daysSince1970: Int? {
        guard year >= 0, (1...12).contains(month), day >= 1, day <= daysInMonth else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.epoch
    }

    private var daysInMonth: Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

import Foundation

/// For tests of what is named after the year: returns at once, but in the last minute of a year it
/// waits for the next one.
///
/// This is real time, since PostgreSQL's clock, which says what year it is, can't be moved.
public func waitOutYearsEnd() async throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    while calendar.component(.year, from: Date()) != calendar.component(.year, from: Date() + 60) {
        try await Task.sleep(for: .seconds(1))
    }
}

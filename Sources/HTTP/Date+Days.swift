public import Foundation

extension Date {
    /// The day in UTC as a number. It is 0 for days before 1970.
    public var daysSince1970: Int { max(0, Int(timeIntervalSince1970.rounded(.down))) / 86_400 }
}

/// Times as RFC 3339 writes them, in UTC, to the second.
public enum RFC3339 {
    /// - Parameter seconds: Since 1970; what lies before that is brought to its beginning.
    public static func format(secondsSince1970 seconds: Int) -> String {
        let (days, time) = max(0, seconds).quotientAndRemainder(dividingBy: 86_400)
        let day = CivilDate(daysSince1970: days)
        return "\(day.year)-\(pad(day.month))-\(pad(day.day))T"
            + "\(pad(time / 3600)):\(pad(time / 60 % 60)):\(pad(time % 60))Z"
    }

    private static func pad(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

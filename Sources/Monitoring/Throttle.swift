/// Bounds how often something is logged, so that a server in trouble doesn't write more than it reads.
public struct Throttle: Sendable {
    private let limit: Int
    private var second: Int64 = .min
    private var count = 0
    private var omitted = 0

    /// - Parameter limit: How many may be logged in a second.
    public init(limit: Int) { self.limit = limit }

    /// - Parameter seconds: The time on a clock that doesn't go backwards.
    /// - Returns: How many were left out since the last one that was admitted; `nil` if this one is to
    ///   be left out.
    public mutating func admit(at seconds: Int64) -> Int? {
        if seconds != second {
            second = seconds
            count = 0
        }
        guard count < limit else {
            omitted += 1
            return nil
        }
        count += 1
        defer { omitted = 0 }
        return omitted
    }
}

/// How often something may be attempted: `count` times at once, and then as attempts come back over
/// time.
public struct AttemptLimit: Hashable, Sendable {
    public let count: Int
    public let period: Duration

    /// - Parameter period: How long it takes until all `count` attempts are available again, at an
    ///   even rate.
    public init(_ count: Int, per period: Duration) {
        self.count = count
        self.period = period
    }

    /// The limit for this many parties together.
    public func times(_ factor: Int) -> AttemptLimit {
        AttemptLimit(count * factor, per: period)
    }
}

/// How many units one client may use in a minute, by budget; 0 means any number. `Cost` says what
/// a request costs.
public struct RateLimits: Sendable {
    public var reads = 600
    public var writes = 120
    /// A lot, since everyone at an office or a school may have the same address. Someone who
    /// clicks as fast as they can uses some 60 units a minute.
    public var pages = 3000

    /// What requests are counted as. Each client has a limit for each.
    package enum Budget: Hashable, Sendable {
        /// Reads of the API.
        case reads
        /// Other requests to the API.
        case writes
        /// Everything but the API: pages and their forms, and files.
        case pages
    }

    public init() {}

    package func limit(_ budget: Budget) -> Int {
        switch budget {
        case .reads: reads
        case .writes: writes
        case .pages: pages
        }
    }
}

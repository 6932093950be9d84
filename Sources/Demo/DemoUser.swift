/// A person who does not exist, with a list.
package struct DemoUser: Sendable, Equatable {
    /// Unique among the users of one seed: 2–30 characters of a–z, 0–9, `_` and `-`.
    package let username: String
    package let displayName: String
    /// At most five, best first, no game twice.
    package let entries: [DemoEntry]
    /// How long ago the list was made: up to 400 days.
    package let ageInSeconds: Int
    /// The list as it was at the end of earlier years, the oldest first; mostly none.
    package var snapshots: [DemoSnapshot] = []
}

/// A demo list as it was at the end of a year.
package struct DemoSnapshot: Sendable, Equatable {
    /// 1 for last year.
    package let yearsAgo: Int
    /// Different from the list of the next year.
    package let entries: [DemoEntry]
}

/// One place on a demo list.
package struct DemoEntry: Sendable, Equatable {
    package let gameID: Int
    /// One of the game's platforms.
    package let platformID: Int
    /// Why the person loves the game; often empty, at most 1,000 characters.
    package let comment: String
    package var rating: Int?
    package var tags: [String] = []
}

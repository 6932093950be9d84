/// A person who does not exist, with a list.
struct DemoUser: Sendable, Equatable {
    /// Unique among the users of one seed: 2–30 of a–z, 0–9, `_` and `-`.
    let username: String
    let displayName: String
    /// At most five, best first, no game twice.
    let entries: [DemoEntry]
    /// How long ago the list was made: up to 400 days.
    let ageInSeconds: Int
}

/// One place on a demo list.
struct DemoEntry: Sendable, Equatable {
    let gameID: Int
    /// One of the game's platforms.
    let platformID: Int
    /// Why; often empty, at most 1,000 characters.
    let comment: String
    var rating: Int?
    var tags: [String] = []
}

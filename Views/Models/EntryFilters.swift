/// The filters of everyone's entries.
package struct EntryFilters: Sendable {
    let search: String
    let tag: String
    let username: String
    let gameID: Int?
    let platforms: [Choice]
    let ratings: [Choice]
    /// Those that are on, with the address without each.
    let active: [NamedLink]

    package init(
        search: String, tag: String, username: String, gameID: Int?, platforms: [Choice],
        ratings: [Choice], active: [NamedLink]
    ) {
        self.search = search
        self.tag = tag
        self.username = username
        self.gameID = gameID
        self.platforms = platforms
        self.ratings = ratings
        self.active = active
    }
}

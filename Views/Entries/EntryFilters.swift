/// The filters on the page of everyone's entries.
package struct EntryFilters: Sendable {
    let search: String
    let tag: String
    let username: String
    let gameID: Int?
    let platforms: [Choice]
    let ratings: [Choice]
    /// The filters in use, each with the address of the page without it.
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

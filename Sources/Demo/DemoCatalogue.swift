/// The games that demo lists are made from.
package enum DemoCatalogue {
    package struct Game: Sendable {
        let id: Int
        let name: String
        let year: Int?
        let platforms: [Int]

        package init(id: Int, name: String, year: Int?, platforms: [Int]) {
            self.id = id
            self.name = name
            self.year = year
            self.platforms = platforms
        }
    }

    /// The ids of the games in demo lists: well-known games.
    package static let ids = DemoWords.all.games

    /// Games that many people love, the most loved first. Demo lists favour them, so that rankings
    /// look as people expect.
    static let wellKnown = DemoWords.all.wellKnown

    /// How much people love each platform, apart from how many games it has.
    static let favoured: [Int: Double] = [
        48: 19,  // PlayStation 4
        130: 18,  // Nintendo Switch
        6: 17,  // PC
        49: 11,  // Xbox One
        167: 8,  // PlayStation 5
        169: 4,  // Xbox Series X|S
        508: 3,  // Nintendo Switch 2
    ]

    /// How well known a game is, compared with others: 0 for most.
    package static func fame(of id: Int) -> Int {
        if let place = places[id] { return 1_000 + 10 * (wellKnown.count - place) }
        return ids.contains(id) ? 500 : 0
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: wellKnown.enumerated().map { ($1, $0) })
}

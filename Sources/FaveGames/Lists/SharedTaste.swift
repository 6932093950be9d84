/// The games that two lists share, on any platforms.
public struct SharedTaste: Hashable, Sendable {
    /// The games that both lists have, in the order of the user's own.
    public let shared: [Game]
    /// The games of the other list that the user doesn't have, in its order: what they might like.
    public let others: [Game]

    /// - Parameters:
    ///   - own: The user's games.
    ///   - theirs: The games of the other list.
    public init(own: [Game], theirs: [Game]) {
        shared = Self.unique(own) { game in theirs.contains { $0.id == game.id } }
        others = Self.unique(theirs) { game in !own.contains { $0.id == game.id } }
    }

    public init(own: FaveList, theirs: FaveList) {
        self.init(own: own.entries.map(\.game), theirs: theirs.entries.map(\.game))
    }

    /// A game can be on a list for several platforms.
    private static func unique(_ games: [Game], where condition: (Game) -> Bool) -> [Game] {
        var ids: Set<Int> = []
        return games.filter { condition($0) && ids.insert($0.id).inserted }
    }
}

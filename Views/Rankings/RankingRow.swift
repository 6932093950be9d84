import FaveGames

/// A game's row in a ranking.
package struct RankingRow: Sendable {
    let game: Game
    let rank: Int
    let isTied: Bool
    /// How many lists include the game.
    let count: Int
    /// The count as a percentage of the full bar's, 0 to 100.
    let percent: Int
    let href: String
    /// How the game has moved; `nil` also if it shares its rank.
    let movement: MovementMark?
    let quotes: [Quote]

    /// The rows of games that follow one another in a ranking.
    ///
    /// - Parameters:
    ///   - highest: The count that makes a full bar; the first game's if `nil`.
    ///   - past: Last week's ranks, if the rows show how games have moved.
    package static func rows(
        _ games: [RankedGame], on platform: Platform, highest: Int? = nil,
        past: PastRanks? = nil
    ) -> [RankingRow] {
        let highest = highest ?? games.first?.includedBy ?? 0
        return games.enumerated().map { index, ranked in
            // Games that share a rank are neighbours.
            let isTied =
                index > 0 && games[index - 1].rank == ranked.rank
                || index + 1 < games.count && games[index + 1].rank == ranked.rank
            return RankingRow(
                game: ranked.game, rank: ranked.rank, isTied: isTied, count: ranked.includedBy,
                percent: highest > 0 ? max(1, min(100, ranked.includedBy * 100 / highest)) : 0,
                href: Path.platformGame(platform, ranked.game.id),
                // Down a column of ties, the marks would only say who has joined them.
                movement: isTied
                    ? nil
                    : past?.movement(of: ranked.game.id, to: ranked.rank)
                        .flatMap { MovementMark($0) },
                quotes: ranked.quotes)
        }
    }
}

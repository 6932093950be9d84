import FaveGames

/// The first games of a circle on one platform.
package struct CircleTop: Sendable {
    let platform: Platform
    let rows: [RankingRow]
    /// The ranking's own page, which has also the games that only one member's list includes.
    let more: String

    /// - Parameter circle: The path of the circle's page.
    package init(_ ranking: CircleRanking, of circle: String) {
        platform = ranking.platform
        rows = RankingRow.rows(ranking.games, on: ranking.platform)
        more = "\(circle)/platforms/\(ranking.platform.slug)"
    }
}

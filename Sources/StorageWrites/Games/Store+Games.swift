import FaveGames
import Foundation
public import Postgres
public import Storage

extension Store {
    /// Counts the games of each platform, to sort the platforms of a game.
    public func rankPlatforms() async throws(PostgresError) {
        try await database.query(Games.rankPlatforms)
    }
}

extension Games {
    static let rankPlatforms = Statement("rank_platforms", .write, "SELECT rank_platforms()")
}

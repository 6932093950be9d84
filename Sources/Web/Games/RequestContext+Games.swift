import Endpoints
import FaveGames
import GameSearch
import IGDB

extension RequestContext {
    /// Finds games. If IGDB has to be asked, the sender of the request gets a fair share of its
    /// responses, and people who are signed in come first.
    var games: GameFinder { services.games.asking(for: { await requester() }) }

    private func requester() async -> IGDBRequester {
        if let visitor { return .user(visitor.user.id) }
        if let id = await bearerID() { return .user(id) }
        let name = client.siteName
        return name.isEmpty ? .unknown : .address(name)
    }
}

import Endpoints
import FaveGames
import GameSearch
import IGDB
import Views

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

extension Input where Value == Int {
    static var gameID: Self {
        .path("game", "The game's id, IGDB's number.", .igdbGame) { GameID.parse($0) }
    }
}

extension Input<Services, FoundGame> {
    /// The game in the path. A game that we do not know is looked up at IGDB. 404 if there is none.
    static var game: Self {
        let id = Input<Services, Int>.gameID
        return Self(id.description) { context in
            guard let game = try await context.services.games.game(id.read(context)) else {
                throw Problem.notFound(.noSuchGame)
            }
            return game
        }
    }
}

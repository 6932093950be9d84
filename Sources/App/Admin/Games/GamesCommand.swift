import ArgumentParser
import FaveGames
import Postgres

struct GamesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "games",
        abstract: "Add games, and correct what IGDB says about them.",
        subcommands: [
            AddGameCommand.self, RemoveGameCommand.self, ChooseCoverCommand.self,
            MarkGameCommand.self, RefreshGamesCommand.self,
        ])
}

/// The argument that names a game.
struct GameArgument: ParsableArguments {
    @Argument(help: "The game's id, which is the number in the address of its page.")
    var game: Int

    func validate() throws {
        guard GameID.range.contains(game) else { throw ValidationError("\(game) is not an id.") }
    }

    /// - Throws: `OperatorError` if nothing was found.
    func found<Game>(_ game: Game?) throws -> Game {
        guard let game else {
            throw OperatorError("No game with the id \(self.game) is stored.", .notFound)
        }
        return game
    }
}

import ArgumentParser
import FaveGames
import Postgres
import Storage
import StorageWrites

struct MarkGameCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark",
        abstract: "Say whether a game is for adults only, where IGDB is wrong.",
        discussion: """
            Servers hide such games unless ADULT_GAMES=shown. The mark stays when the game is \
            refreshed from IGDB; "igdb" removes it.
            """)

    enum Mark: String, ExpressibleByArgument, CaseIterable {
        case adult, everyone, igdb

        var isAdult: Bool? {
            switch self {
            case .adult: true
            case .everyone: false
            case .igdb: nil
            }
        }
    }

    @OptionGroup var game: GameArgument

    @Argument(help: "Say whom the game is for, or \"igdb\" to use what IGDB says.")
    var mark: Mark

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let game: Int
        let name: String
        let isHidden: Bool

        var description: String { "\(name) is \(isHidden ? "hidden" : "shown") now." }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let marked = try game.found(
            try BulkStore(session).markGame(game.game, isAdult: mark.isAdult))
        return Report(game: game.game, name: marked.name, isHidden: marked.isHidden)
    }
}

import ArgumentParser
import FaveGames
import Postgres
import Storage
import StorageWrites

struct MarkGameCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark-game",
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

    @Argument(help: "The game's id, which is the number in the address of its page.")
    var game: Int

    @Argument(help: "Say whom the game is for, or \"igdb\" to use what IGDB says.")
    var mark: Mark

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard GameID.range.contains(game) else { throw ValidationError("\(game) is not an id.") }
    }

    struct Report: Encodable, CustomStringConvertible {
        let game: Int
        let name: String
        let isHidden: Bool

        var description: String { "\(name) is \(isHidden ? "hidden" : "shown") now." }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let marked = try BulkStore(session).markGame(game, isAdult: mark.isAdult)
        guard let marked else { throw OperatorError("No game with the id \(game) is stored.") }
        return Report(game: game, name: marked.name, isHidden: marked.isHidden)
    }
}

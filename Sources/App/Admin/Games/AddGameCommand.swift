import ArgumentParser
import FaveGames
import Postgres
import StorageWrites

struct AddGameCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a game that IGDB doesn't have.",
        discussion: """
            People find it at once, and refreshing the games leaves it as it is. For a game that IGDB \
            has, search for it on the site instead.
            """)

    private static let nameLimit = 200

    @Argument(help: "The game's name.")
    var name: String

    @Option(help: "A platform, as in the address of its ranking: switch. May be repeated.")
    var platform: [String]

    @Option(help: "The release year.")
    var year: Int?

    @Flag(help: "Add it even though a game of that name is stored.")
    var allowSameName = false

    @OptionGroup var output: OutputOptions

    private var line: String { OneLine.cleanOrEmpty(name) }

    func validate() throws {
        guard (1...Self.nameLimit).contains(line.unicodeScalars.count) else {
            throw ValidationError("A name has 1 to \(Self.nameLimit) characters.")
        }
        guard !platform.isEmpty else {
            throw ValidationError("Name a platform with --platform: people pick games on one.")
        }
        guard year.map((1950...2100).contains) ?? true else {
            throw ValidationError("--year must be from 1950 to 2100.")
        }
    }

    struct Report: Encodable, CustomStringConvertible {
        let game: Int
        let name: String

        var description: String { "\(name) is added, as game \(game)." }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let store = BulkStore(session)
        if !allowSameName, let same = try store.games(named: line).first {
            let year = same.releaseYear.map { " (\($0))" } ?? ""
            throw OperatorError(
                "Game \(same.id) is \(same.name)\(year). To add another one: --allow-same-name")
        }
        guard
            let id = try store.addGame(
                line, releaseYear: year, platforms: Array(Set(platform)).sorted())
        else {
            throw OperatorError(
                """
                No platform is called \(platform.joined(separator: " or ")). Use the last part of the \
                address of its ranking, such as switch in /platforms/switch.
                """, .notFound)
        }
        return Report(game: id, name: line)
    }
}

struct RemoveGameCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a game that an operator added, unless it is on someone's list.")

    @OptionGroup var game: GameArgument
    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let game: Int
        let name: String

        var description: String { "\(name) is removed." }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        guard GameID.own.contains(game.game) else {
            throw OperatorError(
                "Only games that an operator added can be removed; their ids begin at "
                    + "\(GameID.own.lowerBound).")
        }
        do {
            let name = try game.found(try BulkStore(session).removeOwnGame(game.game))
            return Report(game: game.game, name: name)
        } catch let error as PostgresError where error.sqlState == SQLState.foreignKeyViolation {
            throw OperatorError(
                "The game is on someone's list, in a snapshot, or was in a ranking of the last days."
            )
        }
    }
}

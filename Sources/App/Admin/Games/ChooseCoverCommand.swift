import ArgumentParser
import FaveGames
import Foundation
import Postgres
import StorageWrites

struct ChooseCoverCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "cover",
        abstract: "Choose a game's cover, where IGDB's is missing or wrong.",
        discussion: """
            Pages show it at once, and it stays when the game is refreshed. Covers are images of IGDB's, \
            also those of other games.
            """)

    @OptionGroup var game: GameArgument

    @Argument(
        help: """
            An image of IGDB's, by its address or the end of it: co1x7d. Or "none", or "igdb" for the one \
            that IGDB tells of when the games are next refreshed.
            """,
        transform: choice)
    var image: BulkStore.CoverChoice

    @OptionGroup var output: OutputOptions

    private static func choice(_ text: String) throws -> BulkStore.CoverChoice {
        switch text {
        case "none": return .none
        case "igdb": return .igdb
        default:
            // The address of any size, in any format.
            let isAddress = text.hasPrefix(CoverImage.folder + "/")
            let name = isAddress ? text.split(separator: "/").last.map(String.init) ?? "" : text
            guard let match = name.wholeMatch(of: /([a-z0-9_]{1,64})(\.(jpg|png|webp))?/) else {
                throw ValidationError(
                    "Use the address of an image at \(CoverImage.host), or the end of one: co1x7d.")
            }
            return .image(String(match.1))
        }
    }

    struct Report: Encodable, CustomStringConvertible {
        let game: Int
        let name: String
        @Nullable var cover: String?

        var description: String {
            cover.map { "The cover of \(name) is \($0)." } ?? "\(name) has no cover."
        }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let stored = try game.found(try BulkStore(session).setCover(of: game.game, to: image))
        return Report(game: stored.id, name: stored.name.main, cover: stored.coverImageID)
    }
}

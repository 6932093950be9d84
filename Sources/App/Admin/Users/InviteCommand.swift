import Actions
import ArgumentParser
import FaveGames
import Identity
import Storage

struct InviteCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Make a link that lets people sign up while SIGN_UP is invite.")

    @Option(help: "For how many people the link is.")
    var uses = 1

    @Option(help: "For how many days it is valid.")
    var days = 7

    @OptionGroup var site: SiteOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard Invitations.uses.contains(uses) else {
            throw ValidationError("--uses must be from 1 to 100.")
        }
        guard Invitations.days.contains(days) else {
            throw ValidationError("--days must be from 1 to 30.")
        }
    }

    struct Report: Encodable, CustomStringConvertible {
        let link: String
        let uses: Int
        let days: Int

        var description: String {
            "For \(uses) \(uses == 1 ? "person" : "people"), valid for \(days) "
                + "\(days == 1 ? "day" : "days"):\n\(link)"
        }
    }

    func perform(_ store: Store) async throws -> Report {
        let address = try site.address()
        let token = try await OperatorActions(store).invite(uses: uses, days: days)
        return Report(link: "\(address)/sign-up?invitation=\(token.text)", uses: uses, days: days)
    }
}

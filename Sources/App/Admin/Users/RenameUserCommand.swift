import ArgumentParser
import FaveGames
import Postgres
import Storage

struct RenameUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Gives a user another username.",
        discussion: "Links with the old one lead to the new one until somebody takes the old one.")

    @OptionGroup var user: UserArgument

    @Argument(help: "The new username.")
    var newUsername: String

    @Flag(help: "Allow a name that people cannot take themselves, such as \"admin\".")
    var allowReserved = false

    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> DoneReport {
        let store = BulkStore(session)
        let found = try user.find(store)
        let name = try Username.chosen(newUsername, allowReserved: allowReserved)
        do {
            try store.rename(userID: found.id, to: name)
        } catch is UsernameTakenError {
            throw OperatorError("The username \"\(name)\" is taken, or looks like one that is.")
        }
        let changed = found.username != name.description
        return DoneReport(
            username: name.description, changed: changed,
            description: changed
                ? "\(found.username) is called \(name) now." : "That is the username already.")
    }
}

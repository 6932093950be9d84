import Actions
import ArgumentParser
import FaveGames
import Storage

struct RenameUserCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Change a user's username.",
        discussion: """
            Links with the old username lead to the new one until someone else claims the old one, which \
            nobody can for 90 days; see fave-admin users free-username.
            """)

    @OptionGroup var user: UserArgument

    @Argument(help: "The new username.")
    var newUsername: String

    @Flag(help: "Allow a name that people cannot choose themselves, such as \"admin\".")
    var allowReserved = false

    @OptionGroup var output: OutputOptions

    typealias Report = DoneReport

    func perform(_ store: Store) async throws -> Report {
        let found = try await user.find(store)
        let name = try Username.chosen(newUsername, allowReserved: allowReserved)
        try await OperatorActions(store).rename(found, to: name)
        let changed = found.username != name.description
        return DoneReport(
            username: name.description, changed: changed,
            description: changed
                ? "\(found.username) is now called \(name)." : "That is already the username.")
    }
}

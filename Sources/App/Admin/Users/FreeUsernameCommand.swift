import Actions
import ArgumentParser
import FaveGames
import Storage

struct FreeUsernameCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "free-username",
        abstract: "Let anyone take a username that its user has left.",
        discussion: """
            Nobody else can take a username, or one that looks like it, for 90 days after its user has \
            left it or the account was deleted. This ends that. Links with a username that its user has \
            left no longer lead to the user.
            """)

    @Argument(help: "The username.")
    var username: String

    @OptionGroup var output: OutputOptions

    typealias Report = DoneReport

    func perform(_ store: Store) async throws -> Report {
        let name = try Username.chosen(username, allowReserved: true)
        let changed = try await OperatorActions(store).free(name)
        return DoneReport(
            username: name.description, changed: changed,
            description: changed ? "Anyone can take \(name) now." : "\(name) was not reserved.")
    }
}

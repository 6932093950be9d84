import Actions
import ArgumentParser
import FaveGames
import Storage

struct DisableUserCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable an account: no one can sign in to it, and its list is hidden.",
        discussion: """
            Sessions and tokens end at once, and the list is no longer counted in rankings. \
            Nothing is deleted; "users enable" undoes it.
            """)

    @OptionGroup var user: UserArgument
    @OptionGroup var output: OutputOptions

    typealias Report = DoneReport

    func perform(_ store: Store) async throws -> Report {
        let found = try await user.find(store)
        let changed = try await OperatorActions(store).setDisabled(true, found)
        return DoneReport(
            username: found.username, changed: changed,
            description: changed
                ? "\(found.username) is disabled." : "\(found.username) was already disabled.")
    }
}

struct EnableUserCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Enable a disabled account again.")

    @OptionGroup var user: UserArgument
    @OptionGroup var output: OutputOptions

    typealias Report = DoneReport

    func perform(_ store: Store) async throws -> Report {
        let found = try await user.find(store)
        let changed = try await OperatorActions(store).setDisabled(false, found)
        return DoneReport(
            username: found.username, changed: changed,
            description: changed
                ? "\(found.username) is enabled again." : "\(found.username) is not disabled.")
    }
}

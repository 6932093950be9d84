import ArgumentParser
import Postgres
import Storage

struct DisableUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable an account: no one can sign in to it, and its list is hidden.",
        discussion: """
            Sessions and tokens end at once, and the list is no longer counted in rankings. \
            Nothing is deleted; "users enable" undoes it.
            """)

    @OptionGroup var user: UserArgument
    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> DoneReport {
        let store = BulkStore(session)
        let found = try user.find(store)
        let changed = try store.setDisabled(true, userID: found.id)
        return DoneReport(
            username: found.username, changed: changed,
            description: changed
                ? "\(found.username) is disabled." : "\(found.username) was already disabled.")
    }
}

struct EnableUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Enable a disabled account again.")

    @OptionGroup var user: UserArgument
    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> DoneReport {
        let store = BulkStore(session)
        let found = try user.find(store)
        let changed = try store.setDisabled(false, userID: found.id)
        return DoneReport(
            username: found.username, changed: changed,
            description: changed
                ? "\(found.username) is enabled again." : "\(found.username) is not disabled.")
    }
}

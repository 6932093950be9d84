import ArgumentParser
import Postgres
import Storage

struct DisableUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Shuts an account: nobody signs in to it, and its list is hidden.",
        discussion: """
            Sessions and tokens end at once, and the list no longer counts. Nothing is deleted; \
            see "users enable".
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
                ? "\(found.username) is disabled." : "\(found.username) was disabled before.")
    }
}

struct EnableUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Opens an account again that was disabled.")

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

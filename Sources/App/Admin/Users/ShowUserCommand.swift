import ArgumentParser
import Postgres
import Storage

struct ShowUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a user's profile and account.")

    @OptionGroup var user: UserArgument
    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> UserReport {
        let store = BulkStore(session)
        guard let record = try store.record(userID: user.find(store).id) else {
            throw OperatorError("The user was deleted a moment ago.")
        }
        return UserReport(record)
    }
}

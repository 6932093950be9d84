import ArgumentParser
import Postgres
import Storage

struct ShowUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what is known of a user.")

    @OptionGroup var user: UserArgument
    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> UserReport {
        let store = BulkStore(session)
        guard let record = try store.record(userID: user.find(store).id) else {
            throw OperatorError("The user is just gone.")
        }
        return UserReport(record)
    }
}

import ArgumentParser
import Postgres
import Storage

struct ExportUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all data that is stored about a user, as JSON.")

    @OptionGroup var user: UserArgument
    // The output is always JSON. --json is accepted so that scripts can pass it to every command.
    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> String {
        let store = BulkStore(session)
        guard let json = try store.export(userID: user.find(store).id) else {
            throw OperatorError("The user was deleted a moment ago.")
        }
        return json
    }

    func text(of report: String) -> String { report }
}

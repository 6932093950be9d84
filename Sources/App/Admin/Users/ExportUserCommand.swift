import ArgumentParser
import Postgres
import Storage

struct ExportUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Prints everything that is held about a user, as JSON.")

    @OptionGroup var user: UserArgument
    // It is JSON in any case; scripts need not know that.
    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> String {
        let store = BulkStore(session)
        guard let json = try store.export(userID: user.find(store).id) else {
            throw OperatorError("The user is just gone.")
        }
        return json
    }

    func text(of report: String) -> String { report }
}

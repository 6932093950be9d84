import Actions
import ArgumentParser
import FaveGames
import Foundation
import Storage

struct DeleteUserCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a user and all of their data permanently.",
        discussion: """
            Asks for confirmation on a terminal; elsewhere it needs --yes. To save a copy of the \
            data, run "users export" first.
            """)

    @OptionGroup var user: UserArgument

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var output: OutputOptions

    typealias Report = DoneReport

    func perform(_ store: Store) async throws -> Report {
        let found = try await user.find(store)
        if !yes {
            guard Terminal.isInteractive else {
                throw OperatorError(
                    "This deletes \(found.username) permanently. To confirm, add --yes.")
            }
            let answer = Terminal.ask(
                "Delete \(found.username) permanently? Type the username to confirm: ")
            guard answer == found.username else { throw OperatorError("Nothing was deleted.") }
        }
        try await OperatorActions(store).delete(found)
        return DoneReport(
            username: found.username, changed: true,
            description: "\(found.username) has been deleted.")
    }
}

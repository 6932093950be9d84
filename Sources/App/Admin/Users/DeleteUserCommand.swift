import ArgumentParser
import Foundation
import Postgres
import Storage

struct DeleteUserCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a user with everything of theirs, for good.",
        discussion: "On a terminal it asks first. \"users export\" keeps a copy.")

    @OptionGroup var user: UserArgument

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var output: OutputOptions

    func perform(_ session: BlockingSession) throws -> DoneReport {
        let store = BulkStore(session)
        let found = try user.find(store)
        if !yes {
            guard Terminal.isInteractive else {
                throw OperatorError("This deletes \(found.username) for good. To be sure: --yes")
            }
            let answer = Terminal.ask(
                "Delete \(found.username) for good? Type the username to go on: ")
            guard answer == found.username else { throw OperatorError("Nothing was deleted.") }
        }
        try store.deleteUser(id: found.id)
        return DoneReport(
            username: found.username, changed: true, description: "\(found.username) is deleted.")
    }
}

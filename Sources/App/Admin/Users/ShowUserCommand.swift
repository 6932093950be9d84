import ArgumentParser
import FaveGames
import Storage

struct ShowUserCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a user's profile and account.")

    @OptionGroup var user: UserArgument
    @OptionGroup var output: OutputOptions

    typealias Report = UserReport

    func perform(_ store: Store) async throws -> Report {
        guard let record = try await store.accountRecord(userID: user.find(store).id) else {
            throw OperatorError("The user was just deleted.", .notFound)
        }
        return UserReport(record)
    }
}

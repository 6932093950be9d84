import ArgumentParser
import FaveGames
import Storage
import Web

struct ExportUserCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all data that is stored about a user, as JSON.")

    @OptionGroup var user: UserArgument
    @OptionGroup var site: SiteOption
    // The output is always JSON. --json is accepted so that scripts can pass it to every command.
    @OptionGroup var output: OutputOptions

    func perform(_ store: Store) async throws -> String {
        let addresses = try site.addresses()
        guard let data = try await store.personalData(userID: user.find(store).id) else {
            throw OperatorError("The user was just deleted.", .notFound)
        }
        return String(decoding: PersonalExport.json(data, for: addresses), as: UTF8.self)
    }

    func text(of report: String) -> String { report }
}

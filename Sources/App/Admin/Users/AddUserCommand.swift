import Actions
import ArgumentParser
import FaveGames
import Storage

struct AddUserCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Create an account with a password, even if sign-up is closed.",
        discussion: "Reads the password from standard input. A terminal does not show it.")

    @Argument(help: "The username.")
    var username: String

    @Flag(help: "Allow a name that people cannot choose themselves, such as \"admin\".")
    var allowReserved = false

    @OptionGroup var password: PasswordOptions
    @OptionGroup var output: OutputOptions

    typealias Report = PasswordReport

    func perform(_ store: Store) async throws -> Report {
        let name = try Username.chosen(username, allowReserved: allowReserved)
        let chosen = try await password.choose(for: name.description)
        let user = try await OperatorActions(store).addUser(name, passwordHash: chosen.hash)
        return PasswordReport(
            username: user.username, password: chosen.shown,
            what: "The account \(user.username) has been created.")
    }
}

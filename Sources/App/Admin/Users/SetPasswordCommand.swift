import Actions
import ArgumentParser
import FaveGames
import Storage

struct SetPasswordCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password",
        abstract: "Set a user's password, and sign them out everywhere.",
        discussion: "Reads the password from standard input. A terminal does not show it.")

    @OptionGroup var user: UserArgument
    @OptionGroup var password: PasswordOptions
    @OptionGroup var output: OutputOptions

    typealias Report = PasswordReport

    func perform(_ store: Store) async throws -> Report {
        try SettingsReader().requireLocalAccounts()
        let found = try await user.find(store)
        let chosen = try await password.choose(for: found.username)
        try await OperatorActions(store).setPassword(of: found, hash: chosen.hash)
        return PasswordReport(
            username: found.username, password: chosen.shown,
            what: "The password of \(found.username) has been set.")
    }
}

/// The result of the command, with the password if it was generated.
struct PasswordReport: Encodable, CustomStringConvertible {
    let username: String
    @Nullable var password: String?
    private let what: String

    init(username: String, password: String?, what: String) {
        self.username = username
        self.password = password
        self.what = what
    }

    enum CodingKeys: CodingKey {
        case username, password
    }

    var description: String { password.map { "\(what) The password is: \($0)" } ?? what }
}

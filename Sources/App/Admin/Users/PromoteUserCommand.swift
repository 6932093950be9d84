import Actions
public import ArgumentParser
import FaveGames
import Storage

struct PromoteUserCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Make someone a moderator or an administrator, or a user again.",
        discussion: """
            Moderators decide about reports of users, at /moderation. Administrators decide about \
            reports of everyone.
            """)

    @OptionGroup var user: UserArgument

    @Option(help: "moderator, admin or user.")
    var role = Role.moderator

    @OptionGroup var output: OutputOptions

    typealias Report = DoneReport

    func perform(_ store: Store) async throws -> Report {
        let found = try await user.find(store)
        let changed = try await OperatorActions(store).setRole(role, of: found)
        return DoneReport(
            username: found.username, changed: changed,
            description: "\(found.username) \(changed ? "is now" : "was already") \(role.article).")
    }
}

extension Role: ExpressibleByArgument {}

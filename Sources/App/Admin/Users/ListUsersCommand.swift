import ArgumentParser
import FaveGames
import Foundation
import Storage

struct ListUsersCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List users in the order of their usernames.")

    @Argument(help: "Only users with this text in their username or name.")
    var search: String?

    @Flag(help: "Only disabled users.")
    var disabled = false

    @Option(help: "The maximum number of users to list.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else {
            throw ValidationError("--limit must be from 1 to 100000.")
        }
    }

    struct Report: Encodable, CustomStringConvertible {
        let users: [UserReport]
        let limit: Int

        enum CodingKeys: CodingKey {
            case users
        }

        var description: String {
            guard !users.isEmpty else { return "No users." }
            let width = users.map(\.username.count).max() ?? 0
            var lines = users.map { user in
                let name = user.username.padding(toLength: width, withPad: " ", startingAt: 0)
                let state = user.disabledAt == nil ? user.visibility : "disabled"
                return "\(name)  \(state)  \(user.entries) entries  \(user.displayName)"
            }
            if users.count == limit { lines.append("These are the first \(limit); see --limit.") }
            return lines.joined(separator: "\n")
        }
    }

    func perform(_ store: Store) async throws -> Report {
        let text = search.flatMap { SearchText($0) }
        guard text != nil || search == nil else {
            throw OperatorError("The search must have 1 to \(SearchText.limit) characters.")
        }
        let records = try await store.accounts(
            search: text?.ofPeople, disabled: disabled, limit: limit)
        return Report(users: records.map(UserReport.init), limit: limit)
    }
}

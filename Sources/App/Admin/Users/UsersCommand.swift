import ArgumentParser
import Encodings
import FaveGames
import Foundation
import Storage

struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Manage people's accounts.",
        subcommands: [
            ListUsersCommand.self, ShowUserCommand.self, AddUserCommand.self,
            RenameUserCommand.self, FreeUsernameCommand.self, DisableUserCommand.self,
            EnableUserCommand.self,
            SetPasswordCommand.self, ResetLinkCommand.self, ExportUserCommand.self,
            DeleteUserCommand.self, PromoteUserCommand.self, InviteCommand.self,
            AdministratorLinkCommand.self,
        ])
}

extension SettingsReader {
    /// - Throws: If a password would be of no use.
    func requireLocalAccounts() throws {
        guard try value(Settings.accounts.hasLocalAccounts) else {
            throw OperatorError(
                """
                LOCAL_ACCOUNTS is off, so no one can sign in with a password. To shut someone out of an \
                account: fave-admin users disable
                """)
        }
    }
}

/// The argument that names a user.
struct UserArgument: ParsableArguments {
    @Argument(help: "The username, with or without a leading @.")
    var username: String

    func find(_ store: Store) async throws -> User {
        let name = Username(username)
        let unknown = OperatorError(
            """
            There is no user called "\(name?.description ?? username)". To search for users: fave-admin \
            users list
            """, .notFound)
        guard let name else { throw unknown }
        let found = try await store.account(username: name.description)
        guard let found else { throw unknown }
        return found
    }
}

/// A user, as commands report them.
struct UserReport: Encodable, CustomStringConvertible {
    let id: String
    let username: String
    let displayName: String
    let bio: String
    let visibility: String
    let createdAt: String
    @Nullable var listUpdatedAt: String?
    @Nullable var disabledAt: String?
    let role: String
    let entries: Int
    let sessions: Int
    let hasPassword: Bool
    /// The issuer and the subject of each identity, separated by a space.
    let identities: [String]

    init(_ record: UserRecord) {
        let user = record.user
        id = user.id.text
        username = user.username
        displayName = user.displayName
        bio = user.bio
        visibility = user.visibility.rawValue
        createdAt = user.createdAt.formatted(.iso8601)
        listUpdatedAt = user.listUpdatedAt?.formatted(.iso8601)
        disabledAt = record.disabledAt?.formatted(.iso8601)
        role = user.role.rawValue
        entries = record.entryCount
        sessions = record.sessionCount
        hasPassword = record.hasPassword
        identities = record.identities
    }

    var description: String {
        let lines: [(String, String)] = [
            ("username", username), ("name", displayName), ("bio", bio), ("id", id),
            ("list", "\(visibility), \(entries) of \(FaveList.limit) entries"),
            ("created", createdAt), ("list changed", listUpdatedAt ?? "never"),
            ("role", role),
            ("disabled", disabledAt.map { "since \($0)" } ?? "no"),
            ("password", hasPassword ? "yes" : "no"),
            ("providers", identities.isEmpty ? "none" : identities.joined(separator: "\n")),
            ("signed in", "\(sessions) sessions"),
        ]
        return lines.filter { !$0.1.isEmpty }.map { name, value in
            let padded = name.padding(toLength: 14, withPad: " ", startingAt: 0)
            return padded
                + value.replacing("\n", with: "\n" + String(repeating: " ", count: 14))
        }.joined(separator: "\n")
    }
}

/// What a command did to a user, in a sentence.
struct DoneReport: Encodable, CustomStringConvertible {
    let username: String
    let changed: Bool
    let description: String

    enum CodingKeys: CodingKey {
        case username, changed
    }
}

extension Username {
    /// Reads a new username that an operator chose.
    ///
    /// - Throws: `OperatorError` if it is not valid, or reserved and not allowed.
    static func chosen(_ text: String, allowReserved: Bool) throws -> Username {
        guard let name = Username(text) else {
            throw OperatorError(
                "\"\(text)\" is not a valid username. Use 2 to 30 characters: a-z, 0-9, _ or -.")
        }
        guard allowReserved || !name.isReserved else {
            throw OperatorError("The username \"\(name)\" is reserved; see --allow-reserved.")
        }
        return name
    }
}

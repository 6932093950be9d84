import Actions
import ArgumentParser
import Encodings
import Endpoints
import FaveGames
import Foundation
import Storage

struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "Manage the apps that people can let use their accounts (OAuth).",
        subcommands: [ListAppsCommand.self, AddAppCommand.self, RemoveAppCommand.self])
}

/// An app, as commands report it.
private struct AppReport: Encodable, CustomStringConvertible {
    let clientId: String
    let name: String
    let address: String
    let redirects: [String]
    /// The username of the person who registered it.
    let owner: String?
    let createdAt: String

    init(_ app: ClientApp) {
        clientId = app.id.text
        name = app.name
        address = app.address
        redirects = app.redirects
        owner = app.owner
        createdAt = app.createdAt.formatted(.iso8601)
    }

    var description: String {
        "\(clientId)  \(name)  \(owner.map { "@\($0)" } ?? "operator")  "
            + redirects.joined(separator: " ")
    }
}

struct ListAppsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all apps, the latest first.")

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        fileprivate let apps: [AppReport]

        var description: String {
            apps.isEmpty ? "No apps." : apps.map(\.description).joined(separator: "\n")
        }
    }

    func perform(_ store: Store) async throws -> Report {
        Report(apps: try await store.allApps().map(AppReport.init))
    }
}

struct AddAppCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Register an app, and print its client ID.",
        discussion: """
            People can register apps themselves, in their settings. The redirects are of https, or of \
            http on the person's own machine. An app doesn't change: remove it and add it again.
            """)

    @Argument(help: "What people call it.")
    var name: String

    @Argument(help: "Where people can read about it, such as https://shelf.example.")
    var address: String

    @Argument(help: "Where people may be sent back to: one to five addresses.")
    var redirects: [String]

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let clientId: String

        var description: String { clientId }
    }

    func perform(_ store: Store) async throws -> Report {
        guard let name = TokenName(name) else {
            throw OperatorError("The name must have 1 to \(TokenName.limit) characters.")
        }
        for text in [address] + redirects where WebAddress(text) == nil {
            throw OperatorError(
                "\"\(text)\" is not an address like https://shelf.example/signed-in.")
        }
        guard (1...ClientApp.redirectLimit).contains(redirects.count) else {
            throw OperatorError("Give an app one to \(ClientApp.redirectLimit) redirects.")
        }
        let app = try await OperatorActions(store).addApp(
            name, address: address, redirects: redirects)
        guard let app else { throw OperatorError("The app was not added.") }
        return Report(clientId: app.id.text)
    }
}

struct RemoveAppCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an app, and end its access to everyone's account.")

    @Argument(help: "The client ID.")
    var clientID: String

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let clientId: String

        var description: String { "\(clientId) can no longer use anyone's account." }
    }

    func perform(_ store: Store) async throws -> Report {
        let unknown = OperatorError(
            "There is no app with the client ID \"\(clientID)\". See: fave-admin apps list",
            .notFound)
        guard let id = UUID(uuidString: clientID) else { throw unknown }
        let wasThere = try await OperatorActions(store).removeApp(id)
        guard wasThere else { throw unknown }
        return Report(clientId: id.text)
    }
}

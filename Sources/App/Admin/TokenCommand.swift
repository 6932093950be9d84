import ArgumentParser
import Encodings
import FaveGames
import Foundation
import Identity
import Postgres
import Storage
import StorageWrites

struct TokenCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a bearer token for a user, to try out the API.",
        discussion: """
            The token is signed with the server's own key. Anyone who has it can act as that user \
            until it expires, so keep it secret.
            """)

    @Option(help: "The username.")
    var user: String

    @Option(help: "How many minutes the token is valid, up to 1440 (a day).")
    var minutes = 60

    @OptionGroup var output: OutputOptions

    private static let longestMinutes = 1440
    /// The longest lifetime of any access token that we sign.
    static let longestLifetime = Duration.seconds(longestMinutes * 60)

    func validate() throws {
        guard (1...Self.longestMinutes).contains(minutes) else {
            throw ValidationError("--minutes must be from 1 to 1440.")
        }
    }

    struct Report: Encodable, CustomStringConvertible {
        let token: String
        let expiresInSeconds: Int
        let userId: String

        var description: String { token }
    }

    func perform(_ session: BlockingSession) async throws -> Report {
        let name = Username(user)?.description
        let account: User? = try await CommandLoop.run { command in
            guard let name else { return nil }
            return try await command.store.account(username: name)
        }
        guard let account else {
            throw OperatorError("There is no user called \"\(user)\".", .notFound)
        }
        let stored = try StoredSigningKey.loadOrMake(session, candidate: SigningKey.make())
        guard let key = stored.first.flatMap(SigningKey.init) else {
            throw OperatorError("The signing key in the database is damaged.")
        }
        return Report(
            token: try await key.token(for: account.id, lifetime: .seconds(minutes * 60)),
            expiresInSeconds: minutes * 60, userId: account.id.text)
    }
}

import ArgumentParser
import FaveGames
import Foundation
import Identity
import Postgres
import Storage

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Prints a bearer token for a user, for trying the API.",
        discussion: """
            The token is signed with the server's own key. Whoever has it is that user until it \
            expires: keep it to yourself.
            """)

    @Option(help: "The username.")
    var user: String

    @Option(help: "For how many minutes it is good, up to a day.")
    var minutes = 60

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1440).contains(minutes) else {
            throw ValidationError("--minutes must be from 1 to 1440.")
        }
    }

    private struct Report: Encodable {
        let token: String
        let expiresInSeconds: Int
        let userId: String
    }

    func run() async throws {
        let (user, key) = try load()
        let token = try await key.token(for: user.id, lifetime: .seconds(minutes * 60))
        guard output.json else { return print(token) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let report = Report(
            token: token, expiresInSeconds: minutes * 60,
            userId: user.id.uuidString.lowercased())
        print(String(decoding: try encoder.encode(report), as: UTF8.self))
    }

    private func load() throws -> (User, SigningKey) {
        do {
            let reader = SettingsReader()
            let session = try BlockingSession(connectionString: reader.text(.databaseURL) ?? "")
            try Migrator(
                session, Migration.load(from: ServerSettings.migrationsFolder(reader))
            ).check()
            guard let name = Username(user),
                let found = try BulkStore(session).user(username: name.description)
            else { throw StartError("There is no user called \"\(user)\".") }
            let stored = try StoredSigningKey.loadOrMake(session, candidate: SigningKey.make())
            guard let key = stored.first.flatMap(SigningKey.init) else {
                throw StartError("The signing key in the database is damaged.")
            }
            return (found, key)
        } catch let error as PostgresError {
            throw StartError(error)
        }
    }
}

import ArgumentParser
import Foundation
import Identity
import Languages
import Web
import Work

/// Where a command gets a user's new password from. The password is never an argument, because
/// other users of the machine can read the arguments of a process.
struct PasswordOptions: ParsableArguments {
    @Flag(help: "Generate a password and print it, instead of reading one.")
    var generate = false

    struct Chosen {
        let hash: String
        /// The password, if it was generated.
        let shown: String?
    }

    /// Generates a password, asks for one on a terminal, or reads a line of standard input.
    func choose(for username: String) async throws -> Chosen {
        let text = generate ? Self.makeUp() : try Self.read(username)
        do {
            let password = try NewPassword(text, for: username)
            let workers = WorkerPool(threads: 1)
            defer { workers.close() }
            let hasher = PasswordHasher(
                ln: try SettingsReader().value(Settings.accounts.passwordCost), on: workers)
            return Chosen(hash: try await hasher.hash(password), shown: generate ? text : nil)
        } catch let weakness as NewPassword.Weakness {
            throw OperatorError(weakness.words.string(in: .en))
        }
    }

    private static func read(_ username: String) throws -> String {
        guard Terminal.isInteractive else {
            guard let line = Terminal.readLine() else {
                throw OperatorError("There is no password on standard input; see --generate.")
            }
            return try text(line)
        }
        let first = Terminal.askSecretly("New password for \(username): ") ?? []
        guard Terminal.askSecretly("Repeat the password: ") == first else {
            throw OperatorError("The passwords do not match. Nothing was changed.")
        }
        return try text(first)
    }

    /// A browser sends only text, so no one could sign in with anything else.
    private static func text(_ bytes: [UInt8]) throws(OperatorError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
            throw OperatorError(
                "The password must be text in UTF-8, without NUL. Nothing was changed.")
        }
        return text
    }

    /// About 100 bits, in letters and digits that are not easily confused with each other.
    private static func makeUp() -> String {
        let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")
        var generator = SystemRandomNumberGenerator()
        let groups = (0..<5).map { _ in
            String((0..<4).compactMap { _ in alphabet.randomElement(using: &generator) })
        }
        return groups.joined(separator: "-")
    }
}

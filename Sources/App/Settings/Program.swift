import ArgumentParser
import Foundation
import Glibc

extension AsyncParsableCommand {
    /// Runs the command of a program, and ends the process. An error is written after the rest of the log,
    /// with the priority of an error in the journal, or as JSON with `--json`. The program ends even if no
    /// one reads its log.
    static func runProgram() async -> Never {
        var code = ExitCode.success
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            code = (error as? OperatorError)?.kind.exitCode ?? exitCode(for: error)
            guard !code.isSuccess else { exit(withError: error) }  // Help goes to standard output.
            let text = fullMessage(for: error)
            if !text.isEmpty {
                let failure = Failure(
                    kind: code == .validationFailure
                        ? .usage : (error as? OperatorError)?.kind ?? .failed,
                    message: message(for: error))
                LogWriter.standardError.append(failure.bytes ?? LineFormat.failure(text))
            }
        }
        LogWriter.standardError.flush()
        Glibc.exit(code.rawValue)
    }
}

/// Why a command failed, as `--json` prints it.
private struct Failure: Encodable {
    let kind: OperatorError.Kind
    let message: String

    /// The line for standard error; `nil` without `--json`. Arguments that can't be parsed are searched for
    /// the option, too.
    var bytes: [UInt8]? {
        let arguments = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        guard arguments.contains("--json"), let text = try? ["error": self].jsonText else {
            return nil
        }
        return Array("\(text)\n".utf8)
    }
}

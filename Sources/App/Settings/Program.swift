import ArgumentParser
import Glibc

extension AsyncParsableCommand {
    /// Runs the command of a program, and ends the process. An error is written after the rest of the log,
    /// with the priority of an error in the journal. The program ends even if no one reads its log.
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
            code = exitCode(for: error)
            guard !code.isSuccess else { exit(withError: error) }  // Help goes to standard output.
            let message = fullMessage(for: error)
            if !message.isEmpty { LogWriter.standardError.append(LineFormat.failure(message)) }
        }
        LogWriter.standardError.flush()
        Glibc.exit(code.rawValue)
    }
}

import Foundation
import Glibc

/// Asks the operator for input on the terminal.
enum Terminal {
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    static func ask(_ question: String) -> String? {
        FileHandle.standardError.write(Data(question.utf8))
        return readLine().map { String(decoding: $0, as: UTF8.self) }
    }

    /// A line of standard input, as it is: `Swift.readLine` replaces what is not UTF-8.
    static func readLine() -> [UInt8]? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) == 1 {
            guard byte != UInt8(ascii: "\n") else { return line }
            line.append(byte)
        }
        return line.isEmpty ? nil : line
    }

    /// Asks for a secret, without showing on the screen what is typed; see termios(3).
    static func askSecretly(_ question: String) -> [UInt8]? {
        var settings = termios()
        let isTerminal = tcgetattr(STDIN_FILENO, &settings) == 0
        let before = settings
        let restore: @Sendable () -> Void = {
            guard isTerminal else { return }
            var settings = before
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            FileHandle.standardError.write(Data("\n".utf8))
        }
        let interruption = Interruption(restore)
        if isTerminal {
            var silent = settings
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        }
        defer {
            restore()
            withExtendedLifetime(interruption) {}
        }
        FileHandle.standardError.write(Data(question.utf8))
        return readLine()
    }
}

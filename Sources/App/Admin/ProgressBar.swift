import Foundation
import Glibc

/// Shows the progress of long work on standard error if that is a terminal, and nothing otherwise.
struct ProgressBar {
    private let title: String
    private let total: Int
    private let isShown: Bool
    private var done = 0

    init(_ title: String, total: Int, isShown: Bool = true) {
        self.title = title
        self.total = total
        self.isShown = isShown && isatty(STDERR_FILENO) == 1 && total > 0
    }

    mutating func advance(by count: Int) {
        done = min(total, done + count)
        guard isShown else { return }
        let width = 30
        let filled = done * width / total
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: width - filled)
        write("\r\(title) \(bar) \(done * 100 / total) % (\(done)/\(total))")
    }

    /// Clears the line, to make room for the next output.
    func finish() {
        guard isShown else { return }
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}

import Foundation
import Glibc
import Logging
import Synchronization

/// Writes the log's lines in their order, on a thread of its own. Whoever logs never waits for the
/// reader of the log: while that is slow, up to 1 MiB of lines wait, and further ones are dropped,
/// counted and reported.
final class LogWriter: Sendable {
    static let standardError = LogWriter(STDERR_FILENO)

    private struct State {
        /// What waits to be written: whole lines.
        var lines: [UInt8] = []
        var dropped = 0
        /// Whether the thread has work.
        var isWriting = false
        /// When something was written, or began to be.
        var progress = ContinuousClock.now
        var format = LineFormat(.text, isJournal: false)
    }

    private let descriptor: Int32
    private let limit: Int
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)

    /// - Parameter limit: How many bytes may wait.
    init(_ descriptor: Int32, limit: Int = 1 << 20) {
        self.descriptor = descriptor
        self.limit = limit
        let thread = Thread { [self] in run() }
        thread.name = "log"
        thread.stackSize = 1 << 18
        thread.start()
    }

    /// Sets how dropped lines are reported.
    func use(_ format: LineFormat) { state.withLock { $0.format = format } }

    /// Appends one line or more, with their line feeds. Any thread may call this.
    func append(_ line: [UInt8]) {
        let isIdle = state.withLock { state in
            // Once a line is dropped, later ones are, too, so that the report is in the right place.
            guard state.dropped == 0, state.lines.isEmpty || state.lines.count + line.count <= limit
            else {
                state.dropped += Self.lineCount(line[...])
                return false
            }
            state.lines += line
            guard !state.isWriting else { return false }
            state.isWriting = true
            state.progress = .now
            return true
        }
        if isIdle { work.signal() }
    }

    /// Waits until everything is written, for the end of the process. Blocks the thread.
    ///
    /// - Parameters:
    ///   - patience: Gives up if nothing could be written for this long.
    ///   - limit: Gives up after this time.
    /// - Returns: Whether everything is written.
    @discardableResult
    func flush(patience: Duration = .seconds(2), limit: Duration = .seconds(5)) -> Bool {
        let end = ContinuousClock.now + limit
        while let progress = state.withLock({ $0.isWriting ? $0.progress : nil }) {
            guard ContinuousClock.now < min(end, progress + patience) else { return false }
            usleep(1000)
        }
        return true
    }

    // MARK: On the thread

    private func run() {
        /// Lines that were dropped, or could not be written, and are not reported yet.
        var lost = 0
        func report() {
            guard lost > 0 else { return }
            let format = state.withLock { $0.format }
            let line = format.line(
                .warning,
                """
                \(lost) line\(lost == 1 ? " was" : "s were") dropped, because the log could not be \
                written
                """)
            if write(line) == 0 { lost = 0 }
        }
        while true {
            work.wait()
            while let (lines, dropped) = take() {
                report()
                lost += write(lines) + dropped
                report()
            }
        }
    }

    private func take() -> (lines: [UInt8], dropped: Int)? {
        state.withLock { state in
            guard !state.lines.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { (state.lines, state.dropped) = ([], 0) }
            return (state.lines, state.dropped)
        }
    }

    /// Writes lines, in pieces that other programs on the same pipe don't mix with theirs.
    ///
    /// - Returns: How many lines could not be written, for example because the disk is full.
    private func write(_ lines: [UInt8]) -> Int {
        var rest = lines[...]
        while !rest.isEmpty {
            let count = rest[..<Self.pieceEnd(rest)].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                state.withLock { $0.progress = .now }
            } else if errno == EAGAIN {
                // Another program that shares the descriptor has made it non-blocking.
                var descriptor = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&descriptor, 1, -1)
            } else if errno != EINTR {
                return Self.lineCount(rest)
            }
        }
        return 0
    }

    /// The end of as many whole lines as the system writes to a pipe at once, or of one longer line;
    /// pipe(7).
    private static func pieceEnd(_ lines: ArraySlice<UInt8>) -> Int {
        let lineFeed = UInt8(ascii: "\n")
        let piece = lines.prefix(Int(PIPE_BUF))
        if let last = piece.lastIndex(of: lineFeed) { return last + 1 }
        return lines.firstIndex(of: lineFeed).map { $0 + 1 } ?? lines.endIndex
    }

    private static func lineCount(_ lines: ArraySlice<UInt8>) -> Int {
        lines.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
    }
}

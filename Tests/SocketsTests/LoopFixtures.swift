import Glibc
import Sockets

final class TurnEnd: EndOfTurnHandler {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func turnEnds() { action() }
}

final class ClosureHandler: ReadinessHandler {
    private let action: (Readiness) -> Void

    init(_ action: @escaping (Readiness) -> Void) { self.action = action }

    func descriptorIsReady(_ readiness: Readiness) { action(readiness) }
}

/// A pipe that does not block, for one byte at a time.
// @unchecked: each end is closed by one thread only.
final class TestPipe: @unchecked Sendable {
    private(set) var readEnd: Int32
    private(set) var writeEnd: Int32

    init() throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError(call: "pipe") }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            // Programs that other tests start must not hold it.
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        closeReadEnd()
        closeWriteEnd()
    }

    func write() {
        var byte: UInt8 = 1
        _ = Glibc.write(writeEnd, &byte, 1)
    }

    /// - Returns: Whether there was a byte.
    func read() -> Bool {
        var byte: UInt8 = 0
        return Glibc.read(readEnd, &byte, 1) == 1
    }

    /// Closes the read end of another pipe, and gives its number to this one's. Nobody else can get the
    /// number in between.
    func replaceReadEnd(of other: TestPipe) {
        dup2(readEnd, other.readEnd)
        _ = fcntl(other.readEnd, F_SETFD, FD_CLOEXEC)
        close(readEnd)
        (readEnd, other.readEnd) = (other.readEnd, -1)
    }

    func closeReadEnd() {
        if readEnd >= 0 { close(readEnd) }
        readEnd = -1
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }
}

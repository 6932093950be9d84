import Dispatch
import Glibc
import Synchronization

/// Cleans up if SIGHUP, SIGINT or SIGTERM ends the program. A signal that the program has inherited as
/// ignored, as under nohup, stays ignored.
final class Interruption {
    private static let cleanUp = Mutex<(@Sendable () -> Void)?>(nil)

    /// They stay for good: after a source is cancelled, Dispatch goes on to block its signal. Nothing uses
    /// them after they are made.
    private nonisolated(unsafe) static let sources: [any DispatchSourceSignal] =
        [SIGHUP, SIGINT, SIGTERM].filter { !StopSignals.isIgnored($0) }.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)  // The next one doesn't wait.
                // The lock is never given back, so that nothing begins after this that it should clean up.
                cleanUp.withLock {
                    $0?()
                    end(by: number)
                }
            }
            source.activate()
            return source
        }

    /// - Parameter cleanUp: Runs on another thread, before the program ends, if a signal comes during the
    ///   lifetime of this value. There is one such value at a time.
    init(_ cleanUp: @escaping @Sendable () -> Void) {
        _ = Self.sources
        Self.cleanUp.withLock { $0 = cleanUp }
    }

    /// Runs what can be cleaned up only when it is done: a signal waits for its end. If one has come
    /// before, this doesn't return.
    func postpone<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        try Self.cleanUp.withLock { _ throws(Failure) in try body() }
    }

    deinit { Self.cleanUp.withLock { $0 = nil } }

    /// Ends the program as the signal does by itself, so that its parent sees why it ended.
    private static func end(by number: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)  // Dispatch's threads block all signals.
        raise(number)
    }
}

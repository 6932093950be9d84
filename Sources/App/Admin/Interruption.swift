import Dispatch
import Glibc

/// Cleans up if SIGHUP, SIGINT or SIGTERM ends the program. A signal that the program has inherited as
/// ignored, as under nohup, stays ignored.
final class Interruption {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter cleanUp: Runs on another thread, before the program ends.
    init(_ cleanUp: @escaping @Sendable () -> Void) {
        sources = [SIGHUP, SIGINT, SIGTERM].filter { !StopSignals.isIgnored($0) }.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)  // The next one doesn't wait.
                cleanUp()
                Self.end(by: number)
            }
            source.activate()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// Ends the program as the signal does by itself, so that its parent sees why it ended.
    private static func end(by number: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)  // Dispatch's threads block all signals.
        raise(number)
    }
}

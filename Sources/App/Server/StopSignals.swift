import Glibc
import UnixSignals

/// The signals that end the server well, and those that it ignores.
enum StopSignals {
    static let help = """
        SIGTERM, SIGINT and SIGHUP end the server once it has finished its running requests. (Under \
        nohup, it ignores SIGHUP.) It notices renewed certificates by itself. Other changed settings \
        need a restart; "systemctl reload fave-games" checks them first. SIGUSR1 and SIGUSR2 are \
        ignored.
        """

    /// A terminal sends SIGHUP when it closes, unless nohup has made the process ignore it.
    static var all: [UnixSignal] {
        isIgnored(SIGHUP) ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup]
    }

    /// Signals that would end the process at once.
    static func ignoreOthers() {
        // Writing to a connection that the peer has closed, or to a file beyond the limit on sizes, must
        // fail with an error. Scripts that rotate logs send SIGUSR1.
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
    }

    /// Whether the process has inherited that a signal is ignored.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
